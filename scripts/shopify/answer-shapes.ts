import {
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import type { AnswerShape } from '../../engine/platform/shopify/documents/answer-shape.ts'

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** What an answer to this operation must look like, so that no answer is believed unchecked. */
export function answerShape(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Fragments,
): AnswerShape {
  return fieldsOf(schema, schema.getRootType(operation.operation)!.name, operation.selectionSet, fragments) // prettier-ignore
}

function shapeOf(
  schema: GraphQLSchema,
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  fragments: Fragments,
): AnswerShape {
  if (!isNonNullType(type)) return ['?', whole(schema, type, selections, fragments)]
  return whole(schema, type.ofType, selections, fragments)
}

function whole(
  schema: GraphQLSchema,
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  fragments: Fragments,
): AnswerShape {
  if (isNonNullType(type)) return whole(schema, type.ofType, selections, fragments)
  if (isListType(type)) return ['*', shapeOf(schema, type.ofType, selections, fragments)]
  if (isObjectType(type) || isAbstractType(type))
    return fieldsOf(schema, type.name, selections!, fragments)
  if (!isScalarType(type)) return 's'
  const { name } = type
  return name === 'Boolean' ? 'b' : name === 'Int' || name === 'Float' ? 'n' : name === 'JSON' ? 'j' : 's' // prettier-ignore
}

/** Fields of a fragment on a member of an abstract type are checked where `__typename` is it. */
function fieldsOf(
  schema: GraphQLSchema,
  typeName: string,
  { selections }: SelectionSetNode,
  fragments: Fragments,
): { [field: string]: AnswerShape } {
  const type = schema.getType(typeName)
  const found: { [field: string]: AnswerShape } = {}
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      const name = selection.alias?.value ?? selection.name.value
      if (selection.name.value === '__typename') found[name] = 's'
      else if (isObjectType(type) || (type && 'getFields' in type)) {
        const field = (type as { getFields: () => Record<string, { type: GraphQLOutputType }> })
          .getFields()[selection.name.value]! // prettier-ignore
        found[name] = shapeOf(schema, field.type, selection.selectionSet, fragments)
      }
      continue
    }
    const fragment =
      selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value)! : selection
    const on = fragment.typeCondition?.name.value ?? typeName
    const inner = fieldsOf(schema, on, fragment.selectionSet, fragments)
    if (on === typeName) Object.assign(found, inner)
    else found[`on ${on}`] = inner
  }
  return found
}
