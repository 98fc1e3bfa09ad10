import { HttpProblem, VendorProblem } from '../../../../domain/problem.ts'

/**
 * What each refusal of Shopify means to the merchant. They are problems of the shop, not of what
 * the merchant entered, so calls that meet them are repeated later.
 */
const words = {
  frozen:
    'Your shop is frozen, because a bill of Shopify is not paid, so Twinshelf cannot reach it. Pay it in your shop’s admin; then everything continues by itself.',
  locked:
    'Shopify has locked your shop, so Twinshelf cannot reach it. Ask Shopify’s support to unlock it; then everything continues by itself.',
  forbidden:
    'Shopify does not let Twinshelf into your shop at the moment. Open Twinshelf in your shop’s admin and approve its permissions, then repeat this.',
  gone: 'Shopify knows no shop at this address any more. Open Twinshelf in your shop’s admin, then repeat this.',
  nonsense: 'Shopify’s answer cannot be read. Repeat this in a minute.',
  tooLarge: 'Shopify’s answer is too large.',
} as const

export const problem = (what: keyof typeof words, cause?: unknown): VendorProblem =>
  new VendorProblem('shop', 502, words[what], { cause })

/** The statuses of answers that say more than that something failed. */
export const problemOfStatus: Readonly<Record<number, keyof typeof words>> = {
  402: 'frozen',
  403: 'forbidden',
  404: 'gone',
  423: 'locked',
}

/** An answer that is worth another try: Shopify's own error. */
export class PassingFailure extends VendorProblem {
  constructor(status: number | string, cause?: unknown) {
    super('shop', 502, `Shopify answered ${status}. Repeat this in a minute.`, { cause })
  }
}

/** The merchant has withdrawn a permission, or a new one is not approved yet. */
export class ScopeMissing extends VendorProblem {
  constructor(what: string, cause?: unknown) {
    super(
      'shop',
      502,
      `Your shop no longer gives Twinshelf the permission for this${what && ` (${what})`}. Open Twinshelf in your shop’s admin and approve its permissions, then repeat this.`,
      { cause },
    )
  }
}

export type UserError = {
  message: string
  field?: readonly string[] | null
  code?: string | null
}

const isMissing =
  /^(NOT_FOUND|DOES_NOT_EXIST|INVALID_ID|THEME_NOT_FOUND|PRODUCT_DOES_NOT_EXIST|PRODUCT_VARIANT_DOES_NOT_EXIST)$/

/**
 * Throws what Shopify says against a change, with its own words: 404 when the thing is gone, else
 * 422. `payload` is null when the API fell over the field.
 */
export function accepted<T extends { userErrors: readonly UserError[] }>(payload: T | null): T {
  if (!payload) throw problem('nonsense')
  if (payload.userErrors.length > 0) throw refusal(payload.userErrors)
  return payload
}

/** What Shopify says against a change, as a problem. */
export function refusal(errors: readonly UserError[]): HttpProblem {
  const message = [...new Set(errors.map(error => sentence(error.message)))].join(' ')
  const isGone = errors.every(({ code }) => code != null && isMissing.test(code))
  return new HttpProblem(isGone ? 404 : 422, message)
}

const sentence = (text: string): string =>
  /[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`
