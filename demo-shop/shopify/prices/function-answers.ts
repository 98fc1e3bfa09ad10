import type { Install } from '../../shopify-web/installs.ts'
import { connection, type PageArgs } from '../api/connection.ts'
import { gid, idIn } from '../api/gid.ts'
import { metafieldAnswers } from '../app/metafield-answers.ts'
import { fullNamespace } from '../app/metafields.ts'
import type { Answers, FaceParts } from '../face-parts.ts'
import { discountAnswers } from './discount-answers.ts'
import { functionId } from './function-id.ts'

type Fields = { namespace?: string | null; key: string; type?: string | null; value: string }[]
type CreateArgs = {
  functionHandle?: string | null
  functionId?: string | null
  blockOnFailure: boolean
  metafields: Fields
}

/** What the app's functions are installed with: cart transforms and automatic discounts. */
export function functionAnswers(parts: FaceParts) {
  const { state, metafields } = parts
  const { installs } = state.web!
  /** Writes fields that come with a new thing. Returns what is against them. */
  const writeFields = (owner: string, given: Fields): string | null => {
    if (given.length === 0) return null
    const written = metafields.set(
      given.map(({ namespace, key, type, value }) => ({
        owner,
        namespace: fullNamespace(namespace),
        key,
        type: type ?? null,
        value,
      })),
    )
    return 'problems' in written ? written.problems[0]!.message : null
  }

  const transformGid = (id: number): string => gid('CartTransform', id)
  const transform = ({ id, functionHandle, blockOnFailure }: Install<'transform'>): object => ({
    __typename: 'CartTransform',
    ...metafieldAnswers(parts, transformGid(id)),
    id: transformGid(id),
    functionId: functionId(functionHandle),
    blockOnFailure,
  })
  const one = (id: string): object | null => {
    const found = installs.all('transform').find(each => transformGid(each.id) === id)
    return found ? transform(found) : null
  }
  const create = ({
    functionHandle,
    functionId: given,
    blockOnFailure,
    metafields,
  }: CreateArgs) => {
    const refuse = (code: string, message: string) => ({
      cartTransform: null,
      userErrors: [{ code, message, field: ['functionHandle'] }],
    })
    if (functionHandle != null && given != null)
      return refuse('MULTIPLE_FUNCTION_IDENTIFIERS', 'Only one identifier may be given')
    if (functionHandle == null)
      return refuse(
        given == null ? 'MISSING_FUNCTION_IDENTIFIER' : 'FUNCTION_NOT_FOUND',
        'This stand-in knows functions by their handles',
      )
    const target = parts.functionTarget(functionHandle)
    if (target === null) return refuse('FUNCTION_NOT_FOUND', 'Function was not found')
    if (target !== undefined && target !== 'cart.transform.run')
      return refuse('FUNCTION_DOES_NOT_IMPLEMENT', 'Function is no cart transform')
    if (installs.all('transform').some(each => each.functionHandle === functionHandle))
      return refuse('FUNCTION_ALREADY_REGISTERED', 'Function is registered already')
    const made = installs.add('transform', { functionHandle, blockOnFailure })
    const wrong = writeFields(transformGid(made.id), metafields)
    if (wrong !== null) {
      installs.remove('transform', made.id)
      return refuse('INVALID_METAFIELDS', wrong)
    }
    return { cartTransform: transform(made), userErrors: [] }
  }
  const discounts = discountAnswers(parts, writeFields)
  const answers: Answers = {
    query: {
      ...discounts.answers.query,
      cartTransforms: (page: PageArgs) =>
        connection(installs.all('transform'), page, ({ id }) => String(id), transform),
    },
    mutation: {
      ...discounts.answers.mutation,
      cartTransformCreate: create,
      cartTransformDelete: ({ id }: { id: string }) => {
        if (!installs.remove('transform', Number(idIn('CartTransform', id))))
          return {
            deletedId: null,
            userErrors: [{ code: 'NOT_FOUND', message: 'Cart transform not found', field: ['id'] }],
          }
        metafields.removeOf(id)
        return { deletedId: id, userErrors: [] }
      },
    },
  }
  return { answers, nodes: { CartTransform: one, ...discounts.nodes } }
}
