import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const folder = new URL('../../public/built/app/', import.meta.url)

/**
 * Names of the built files: "app.css" → "/built/app-2f8a….css"; empty for a stylesheet that holds
 * no rules. Throws when nothing has been built.
 */
export function builtAssets(): (name: string) => string {
  const manifest = built<Record<string, string>>('manifest.json')
  return name => (manifest[name] ? `/built/${manifest[name]}` : '')
}

/** The scripts that a page with these islands needs, by their addresses. */
export function builtIslands(): (islands: readonly string[]) => string[] {
  const needs = built<Record<string, string[]>>('islands.json')
  return islands => [
    ...new Set(islands.flatMap(name => (needs[name] ?? []).map(file => `/built/${file}`))),
  ]
}

function built<T>(file: string): T {
  try {
    return JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as T
  } catch (error) {
    throw new Error('The app\'s styles and scripts are not built: run "npm run build".', {
      cause: error,
    })
  }
}

/**
 * Serves the built files, compressed when they were built. Their names change with their content,
 * so browsers keep them and never ask again. Only files that exist now have a route: all other
 * addresses get the app's own page that says so.
 */
export function assets(app: FastifyInstance): void {
  app.register(fastifyStatic, {
    root: fileURLToPath(folder),
    prefix: '/built/',
    wildcard: false,
    // What the server itself reads, and the compressed forms, which have the address of the plain.
    globIgnore: ['**/*.json', '**/*.br', '**/*.gz'],
    preCompressed: true,
    index: false,
    decorateReply: false,
    immutable: true,
    maxAge: '365d',
    setHeaders: reply => void reply.header('vary', 'accept-encoding'),
  })
}
