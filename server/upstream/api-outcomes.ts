import { closedMessage } from '../../domain/access.ts'
import type { Api } from '../../domain/api/api-client.ts'
import type { Output } from '../../domain/api/contract.ts'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import { UnexpectedAnswer, UpstreamProblem } from './upstream-problem.ts'

/**
 * The message for a product call that was answered 403, and for a batch without its list
 * (requirements 25.1, 25.2).
 */
export const priceTestingClosed = closedMessage('PriceTesting')

/**
 * Whether a call failed only because the shop did not answer it, answered nonsense, or lets us ask
 * no more for a moment.
 */
export const isShopSilent = (error: unknown): boolean =>
  error instanceof UpstreamProblem && error.vendor === 'shop'
/** The sentence for a call that failed because the shop lets us ask no more; null for others. */
export const busyReason = (error: unknown): string | null =>
  error instanceof UpstreamProblem && error.isBusy ? error.message : null
/**
 * What to say about a call of which `isShopSilent` is true: `silent`, or the reason why the shop
 * lets us ask no more, and then `effect`.
 */
export function unanswered(error: unknown, silent: string, effect = ''): string {
  const busy = busyReason(error)
  return busy === null ? silent : `${busy} ${effect}`.trimEnd()
}

/** Told why a call failed whose result means the same whatever the reason was. */
type Failed = (error: unknown) => void

/**
 * What some answers of the API mean to a merchant (docs/requirements.md, "25 What errors lead to").
 * Every other error is thrown again. A page uses each of them (test/house/outcomes.test.ts).
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
    try {
      return await outcomes.product(answer)
    } catch (error) {
      if (!(error instanceof UnexpectedAnswer) || hasList(error.said)) throw error
      throw new UpstreamProblem(403, priceTestingClosed, { cause: error })
    }
  },
  /**
   * For calls that copy a template. A refusal comes back as an object with a message, whatever form
   * it had; so does the silence of the shop.
   */
  duplicateTemplate: async <T extends object>(
    answer: Promise<T>,
  ): Promise<T | { message: string; fields: FieldProblem[] }> => {
    try {
      return await answer
    } catch (error) {
      const isRefused = error instanceof HttpProblem && error.status < 500 && error.status !== 401
      if (!isRefused && !isShopSilent(error)) throw error
      const { message, fields } = error as HttpProblem
      return { message, fields }
    }
  },
  /** Any failure means invalid. Only `failed` learns whether the address is wrong. */
  isRedirectUrlValid: (
    api: Api,
    redirectUrl: string,
    failed: Failed = () => {},
  ): Promise<boolean> =>
    api.validateRedirectUrl({ query: { redirectUrl } }).then(
      () => true,
      (error: unknown) => {
        failed(error)
        return false
      },
    ),
  /** A search that fails finds nothing. */
  searchUrls: (
    api: Api,
    searchText: string,
    failed: Failed = () => {},
  ): Promise<Output<'urlSearch'>> =>
    api.urlSearch({ query: { searchText } }).catch((error: unknown) => {
      failed(error)
      return []
    }),
  /** A check that fails is an invalid code, without a message; nothing is applied. */
  checkDiscount: (api: Api, code: string): Promise<Output<'checkDiscount'> | { isValid: false }> =>
    api.checkDiscount({ params: { code } }).catch(() => ({ isValid: false as const })),
}

const hasList = (said: unknown): boolean =>
  Array.isArray((said as { products?: unknown } | null)?.products)
