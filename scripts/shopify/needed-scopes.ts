import {
  type DocumentNode,
  getNamedType,
  type GraphQLSchema,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { ScopesOf } from './admin-schema.ts'

/**
 * What one field of a document needs: any of these scopes. `root`: the operation's field, for every
 * field of a query's or mutation's root, also when the published file names no scope for it.
 */
export type Need = { field: string; anyOf: readonly string[]; root: string | null }

/**
 * What a document needs by the published file: of a field its own scopes, or those of the type that
 * it answers with. The fields of a mutation's payload that answer with what was changed need what
 * the mutation needs.
 */
export function neededScopes(
  schema: GraphQLSchema,
  scopesOf: ScopesOf,
  document: DocumentNode,
): Need[] {
  const needs: Need[] = []
  const info = new TypeInfo(schema)
  visit(
    document,
    visitWithTypeInfo(info, {
      Field(node) {
        const parent = info.getParentType(),
          field = info.getFieldDef()
        if (!parent || !field || node.name.value === '__typename') return
        const type = getNamedType(field.type)
        const nodes = isObjectType(type) ? type.getFields()['nodes'] : undefined
        const answered = nodes && type.name.endsWith('Connection') ? getNamedType(nodes.type) : type
        const own = scopesOf(parent.name, field.name)
        const anyOf = own.length > 0 ? own : scopesOf(answered.name)
        const isRoot = parent === schema.getQueryType() || parent === schema.getMutationType()
        if (anyOf.length > 0 || isRoot)
          needs.push({
            field: `${parent.name}.${field.name}`,
            anyOf,
            root: isRoot ? field.name : null,
          })
      },
    }),
  )
  return needs
}
