import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import {
  buildClientSchema,
  extendSchema,
  getNamedType,
  type GraphQLSchema,
  type GraphQLField,
  type IntrospectionQuery,
  isObjectType,
  parse,
} from 'graphql'

/** The version of the admin API that the schema beside this file describes. */
export const apiVersion = '2026-10'

/** The scopes of which a field needs one, and the platform's words about that. */
export type Needed = { scopes: readonly string[]; words: string }
export type AdminSchema = {
  schema: GraphQLSchema
  /** What `Type.field` needs beside the scopes of what it returns; null when nothing. */
  neededBy: (type: string, field: GraphQLField<unknown, unknown>) => Needed | null
}

type ScopeItem = {
  type: 'type' | 'field'
  typeName: string
  fieldName?: string
  offlineScopes: string[]
  requiredAccess: string
}
const file = new URL('./admin-2026-10.json.gz', import.meta.url)
const rolloutsFile = new URL('./rollouts.graphqls', import.meta.url)

/**
 * Mutations for which the published file names no scope, though the platform's documents do: files
 * of themes, and themes.
 */
const themeWrites =
  /^theme(Create|Delete|Duplicate|FilesCopy|FilesDelete|FilesUpsert|Publish|Update)$/

let published: AdminSchema | null = null,
  withRollouts: AdminSchema | null = null

/**
 * Reads the published schema, once for the process: it takes about half a second. `hasRollouts`:
 * with what is not published about the platform's own experiments.
 */
export function adminSchema(hasRollouts = false): AdminSchema {
  published ??= load()
  return hasRollouts ? (withRollouts ??= extended(published)) : published
}

function extended({ schema, neededBy }: AdminSchema): AdminSchema {
  return {
    schema: extendSchema(schema, parse(readFileSync(rolloutsFile, 'utf8'))),
    neededBy: (type, field) =>
      type === 'QueryRoot' && field.name === 'rollouts'
        ? { scopes: ['read_rollouts'], words: '`read_rollouts` access scope.' }
        : neededBy(type, field),
  }
}

function load(): AdminSchema {
  const { data, offline_scopes } = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as {
    data: IntrospectionQuery
    offline_scopes: { items: ScopeItem[] }
  }
  forgetDescriptions(data.__schema.types)
  const schema = buildClientSchema(data)
  const named = new Map<string, Needed>()
  for (const { typeName, fieldName, offlineScopes, requiredAccess } of offline_scopes.items)
    if (offlineScopes.length > 0)
      named.set(fieldName === undefined ? typeName : `${typeName}.${fieldName}`, {
        scopes: [...new Set(offlineScopes)],
        words: requiredAccess,
      })
  return {
    schema,
    neededBy: (type, field) => {
      const own = named.get(`${type}.${field.name}`)
      if (own) return own
      if (type === 'Mutation' && themeWrites.test(field.name))
        return { scopes: ['write_themes'], words: '`write_themes` access scope.' }
      return type === 'Mutation' ? null : (named.get(returnedType(field)) ?? null)
    },
  }
}

/** Nobody reads them here, and they are half of the schema in memory. */
function forgetDescriptions(described: unknown): void {
  if (Array.isArray(described)) described.forEach(forgetDescriptions)
  else if (typeof described === 'object' && described !== null) {
    if ('description' in described) described.description = null
    Object.values(described).forEach(forgetDescriptions)
  }
}

/** The type of the things that a field returns: of a connection, the type of its nodes. */
function returnedType(field: GraphQLField<unknown, unknown>): string {
  const type = getNamedType(field.type)
  const nodes = isObjectType(type) ? type.getFields()['nodes'] : undefined
  return nodes && type.name.endsWith('Connection') ? getNamedType(nodes.type).name : type.name
}
