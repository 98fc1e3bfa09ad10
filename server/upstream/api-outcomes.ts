import { closedMessage } from '../../domain/access.ts'
import type { Api } from '../../domain/api/api-client.ts'
import type { Output } from '../../domain/api/contract.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { UpstreamProblem } from './upstream-problem.ts'

/**
 * The message for a product call that was answered 403, and for a batch without its list
 * (requirements 25.1, 25.2).
 */
export const priceTestingClosed = closedMessage('PriceTesting')

/**
 * What some answers of the API mean to a merchant (docs/requirements.md, "25 What errors lead to").
 * Every other error is thrown again.
 */
export const outcomes = {
  /** For every product call. */
  product: async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer
    } catch (error) {
      if (error instanceof HttpProblem && error.status === 403)
        throw new UpstreamProblem(403, priceTestingClosed, { cause: error })
      throw error
    }
  },
  upsertProducts: async (
    answer: Promise<Output<'upsertProducts'>>,
  ): Promise<Output<'upsertProducts'>> => {
    const upserted: Partial<Output<'upsertProducts'>> = await outcomes.product(answer)
    if (!Array.isArray(upserted.products)) throw new UpstreamProblem(403, priceTestingClosed)
    return upserted as Output<'upsertProducts'>
  },
  /** A refusal comes back as an object with a message, whatever form it had. */
  duplicateTemplate: async (
    answer: Promise<Output<'duplicateTemplate'>>,
  ): Promise<Output<'duplicateTemplate'> | { message: string }> => {
    try {
      return await answer
    } catch (error) {
      if (error instanceof HttpProblem && error.status < 500 && error.status !== 401)
        return { message: error.message }
      throw error
    }
  },
  /** Any failure means invalid. */
  isRedirectUrlValid: (api: Api, redirectUrl: string): Promise<boolean> =>
    api.validateRedirectUrl({ query: { redirectUrl } }).then(
      () => true,
      () => false,
    ),
  /** A search that fails finds nothing. */
  searchUrls: (api: Api, searchText: string): Promise<Output<'urlSearch'>> =>
    api.urlSearch({ query: { searchText } }).catch(() => []),
  /** A check that fails is an invalid code, without a message; nothing is applied. */
  checkDiscount: (api: Api, code: string): Promise<Output<'checkDiscount'> | { isValid: false }> =>
    api.checkDiscount({ params: { code } }).catch(() => ({ isValid: false as const })),
}
