import { globSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import {
  buildClientSchema,
  extendSchema,
  type GraphQLSchema,
  type IntrospectionQuery,
  parse,
} from 'graphql'

/** What the published file says a type or field asks for: any of these scopes. */
type Access = { typeName: string; fieldName?: string; offlineScopes: string[] }
type Published = { data: IntrospectionQuery; offline_scopes: { items: Access[] } }

/** The published Admin schema, as it lies beside the stand-in that answers by it. */
export function adminSchema(): { schema: GraphQLSchema; scopesOf: ScopesOf } {
  const [file] = globSync('demo-shop/shopify/schema/admin*.json.gz')
  if (!file) throw new Error('demo-shop/shopify/schema/ holds no schema of the Admin API.')
  const { data, offline_scopes } = JSON.parse(
    gunzipSync(readFileSync(file)).toString('utf8'),
  ) as Published
  const access = new Map<string, string[]>(
    offline_scopes.items.map(({ typeName, fieldName, offlineScopes }) => [
      fieldName === undefined ? typeName : `${typeName}.${fieldName}`,
      offlineScopes,
    ]),
  )
  return {
    schema: buildClientSchema(data),
    scopesOf: (type, field) => access.get(field === undefined ? type : `${type}.${field}`) ?? [],
  }
}

/** Any of which is enough. Empty where the file names none. */
export type ScopesOf = (type: string, field?: string) => readonly string[]

/** The schema with what no published file has: documents/unconfirmed.graphql. */
export const withUnconfirmed = (schema: GraphQLSchema, extension: string): GraphQLSchema =>
  extendSchema(schema, parse(extension))
