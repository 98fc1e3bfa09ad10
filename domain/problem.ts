import * as Type from 'typebox'

/**
 * The body of every error of the API (requirements 8.22). `fields` names the wrong inputs, if any.
 */
export const Problem = Type.Object({
  message: Type.String(),
  error: Type.Optional(Type.Number()),
  uuid: Type.Optional(Type.String()),
  fields: Type.Optional(Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))),
})
export type Problem = Type.Static<typeof Problem>
export type FieldProblem = { field: string; message: string }

/** Handlers throw it. The answer is a Problem with this status. */
export class HttpProblem extends Error {
  readonly status: number
  readonly fields: FieldProblem[]
  constructor(status: number, message: string, fields: FieldProblem[] = []) {
    super(message)
    this.status = status
    this.fields = fields
  }
}

/** The caller should send the same again after this number of seconds. */
export class LaterProblem extends HttpProblem {
  readonly retryAfter: number
  constructor(message: string, retryAfter: number) {
    super(503, message)
    this.retryAfter = retryAfter
  }
}

/** The shop or its platform lets us ask no more for a moment. The message is for the merchant. */
export class ShopBusy extends LaterProblem {}
/** The number that `error` of the answer has then. */
export const shopBusyError = 1003

/**
 * Services that the engine asks and that are not ours, each with the number that `error` of the
 * answer has when a call failed because of it. Any other error has its status there.
 */
export const vendorErrors = { shop: 1001, google: 1002 } as const
export type Vendor = keyof typeof vendorErrors

/** The message of a VendorProblem of a shop that refuses our access until its merchant signs in. */
export const noAccess =
  'The shop no longer gives Twinshelf access. Open Twinshelf in the shop’s admin to sign in again, then repeat this.'

/** The vendor that an error's number names; null for any other number. */
export const vendorOf = (error: unknown): Vendor | null =>
  error === shopBusyError
    ? 'shop'
    : ((Object.keys(vendorErrors) as Vendor[]).find(vendor => vendorErrors[vendor] === error) ??
      null)

/**
 * A vendor did not answer in time (504), could not be reached, or answered nonsense (502). `cause`
 * is for the log.
 */
export class VendorProblem extends HttpProblem {
  readonly vendor: Vendor
  constructor(
    vendor: Vendor,
    status: 502 | 504,
    message: string,
    { cause }: { cause?: unknown } = {},
  ) {
    super(status, message)
    this.vendor = vendor
    this.cause = cause
  }
}
