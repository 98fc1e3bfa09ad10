import {
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  isCompositeType,
  isObjectType,
  isInterfaceType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'

type Variables = Record<string, unknown>
const mutationCost = 10,
  connectionCost = 2

/**
 * What so many things of a connection count as. The platform does not say its formula: 250 things
 * were seen to count as 11. This is a little more, so that what passes here passes there.
 */
export const sizeOf = (things: number): number =>
  things <= 1 ? Math.max(0, things) : Math.min(things, Math.ceil(1 + 2 * Math.log(things)))

/**
 * The cost of a query before it runs: an object 1, a mutation 10, a connection 2 and its things,
 * scalars nothing; of an interface or union the most that one of its fragments costs.
 */
export function requestedCost(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  variables: Variables,
): number {
  const root = operation.operation === 'mutation' ? schema.getMutationType() : schema.getQueryType()
  const of = (set: SelectionSetNode, type: GraphQLCompositeType): number => {
    let own = 0
    const byFragment = new Map<string, number>()
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) own += fieldCost(selection, type)
      else {
        const fragment =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)!
        const named = fragment.typeCondition
          ? schema.getType(fragment.typeCondition.name.value)
          : type
        if (!isCompositeType(named)) continue
        const cost = of(fragment.selectionSet, named)
        // Fragments of one type come together; of several types, only the most expensive.
        if (named.name === type.name) own += cost
        else byFragment.set(named.name, (byFragment.get(named.name) ?? 0) + cost)
      }
    }
    return own + Math.max(0, ...byFragment.values())
  }
  const fieldCost = (node: FieldNode, parent: GraphQLCompositeType): number => {
    const name = node.name.value
    if (name.startsWith('__')) return 0
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
    const type = field && getNamedType(field.type)
    if (!field || !type || !isCompositeType(type)) return 0
    const inner = node.selectionSet ? of(node.selectionSet, type) : 0
    if (parent === root && operation.operation === 'mutation') return mutationCost + inner
    if (!type.name.endsWith('Connection'))
      return /^(edges|nodes|node|pageInfo)$/.test(name) && parent.name.match(/(Connection|Edge)$/)
        ? (name === 'node' || name === 'nodes' ? 1 : 0) + inner
        : 1 + inner
    return connectionCost + sizeOf(sizeAsked(node, field, variables)) * inner
  }
  return root ? of(operation.selectionSet, root) : 0
}

function sizeAsked(
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  variables: Variables,
): number {
  for (const name of ['first', 'last']) {
    const value = node.arguments?.find(argument => argument.name.value === name)?.value
    if (value?.kind === Kind.INT) return Number(value.value)
    if (value?.kind === Kind.VARIABLE && typeof variables[value.name.value] === 'number')
      return Number(variables[value.name.value])
  }
  const usual: unknown = field.args.find(({ name }) => name === 'first')?.defaultValue
  return typeof usual === 'number' ? usual : 0
}
