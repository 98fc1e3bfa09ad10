import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { check } from '@shopify/theme-check-common'
import { getThemeAndConfig, NodeFileSystem } from '@shopify/theme-check-node'
import {
  buildClientSchema,
  type GraphQLSchema,
  type IntrospectionQuery,
  parse,
  validate,
} from 'graphql'
import { parse as parseToml } from 'smol-toml'

/** Reads a published schema of Shopify. */
export function schemaIn(file: URL): GraphQLSchema {
  const read = JSON.parse(gunzipSync(readFileSync(file)).toString()) as
    | IntrospectionQuery
    | { data: IntrospectionQuery }
  return buildClientSchema('data' in read ? read.data : read)
}

/** What is wrong with GraphQL documents below a folder. */
export const documentProblems = (schema: GraphQLSchema, folder: URL): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.graphql'))
    .flatMap(name =>
      validate(schema, parse(readFileSync(new URL(name, folder), 'utf8'))).map(
        ({ message }) => `${name}: ${message}`,
      ),
    )

/**
 * What Shopify's own check of themes says about the theme extension. It gets no documents of
 * Liquid, which it would download, so it does not know which objects there are.
 */
export async function liquidProblems(folder: URL): Promise<string[]> {
  const root = fileURLToPath(folder)
  const { theme, config } = await getThemeAndConfig(root, undefined)
  const offenses = await check(theme, config, { fs: NodeFileSystem })
  return offenses.map(
    ({ check, message, uri, start }) =>
      `${uri.split('/').slice(-2).join('/')}:${start.line + 1}: ${check}: ${message}`,
  )
}

type Extension = {
  api_version?: string
  type?: string
  handle?: string
  extensions?: {
    type?: string
    handle?: string
    targeting?: { input_query?: string; export?: string }[]
  }[]
}
/** What is wrong with an extension's own configuration. `name`: of its folder. */
export function extensionProblems(folder: URL, name: string, apiVersion: string): string[] {
  const read = parseToml(
    readFileSync(new URL(`${name}/shopify.extension.toml`, folder), 'utf8'),
  ) as Extension
  const about = read.extensions?.[0] ?? read
  const problems: string[] = []
  if (about.handle !== name) problems.push(`${name}: its handle is ${about.handle}`)
  if (about.type === 'function' && read.api_version !== apiVersion)
    problems.push(`${name}: version ${read.api_version} instead of ${apiVersion}`)
  return problems
}
