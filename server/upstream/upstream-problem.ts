import {
  HttpProblem,
  type FieldProblem,
  noAccess,
  type Problem,
  shopBusyError,
  type Vendor,
  vendorOf,
} from '../../domain/problem.ts'

/**
 * The API did not answer, or refused. `cause` and `upstreamUuid` are for the log; the message is
 * for a person.
 */
export class UpstreamProblem extends HttpProblem {
  readonly upstreamUuid: string | undefined
  /** The vendor because of which the call failed, while the API itself is well. */
  readonly vendor: Vendor | null
  /** The vendor lets us ask no more for a moment; the message says so. */
  readonly isBusy: boolean
  constructor(
    status: number,
    message: string,
    options: {
      fields?: FieldProblem[]
      upstreamUuid?: string | undefined
      cause?: unknown
      vendor?: Vendor | null
      isBusy?: boolean
    } = {},
  ) {
    super(status, message, options.fields)
    this.upstreamUuid = options.upstreamUuid
    this.cause = options.cause
    this.vendor = options.vendor ?? null
    this.isBusy = options.isBusy ?? false
  }
}

export const unreachable = (cause: unknown) =>
  new UpstreamProblem(502, 'Twinshelf cannot reach its data at the moment.', { cause })
export const tooSlow = (cause: unknown) =>
  new UpstreamProblem(504, 'Twinshelf took too long to fetch its data.', { cause })
const unreadable = 'Twinshelf received data that it cannot read.'
export const nonsense = (cause: unknown) => new UpstreamProblem(502, unreadable, { cause })

/**
 * A successful answer that is not what the contract says. `said`: the answer, or its text when it
 * is no JSON. `why` is for the log.
 */
export class UnexpectedAnswer extends UpstreamProblem {
  readonly said: unknown
  constructor(call: string, said: unknown, why = 'not what the contract says') {
    super(502, unreadable, { cause: `${call}: ${why}` })
    this.said = said
  }
}

/**
 * Makes an error of an answer that is no success. The body may be the API's error object; a plain
 * string, in JSON or as plain text, which is the message (requirements 8.23); or anything else,
 * such as HTML, which is ignored.
 */
export function refusal(status: number, contentType: string, text: string): UpstreamProblem {
  const { message, error, uuid, fields } = problemOf(contentType, text)
  const vendor = vendorOf(error),
    isBusy = error === shopBusyError && message !== undefined
  if (status >= 500)
    return new UpstreamProblem(
      status === 503 || status === 504 ? status : 502,
      // The merchant can do something about these.
      message === noAccess || isBusy
        ? message
        : vendor
          ? vendorWords[vendor]
          : 'Something went wrong while fetching the data.',
      { upstreamUuid: uuid, vendor, isBusy },
    )
  return new UpstreamProblem(status, message ?? ownWords[status] ?? 'That could not be done.', {
    fields: fields ?? [],
    upstreamUuid: uuid,
  })
}

export const isJson = (contentType: string): boolean => /^application\/json\b/i.test(contentType)

const ownWords: Record<number, string> = {
  401: 'You are signed out.',
  403: 'This store may not do that.',
  404: 'There is nothing at this address.',
  409: 'This was changed meanwhile. Reload the page.',
  429: 'Too many requests at once. Wait a moment and try again.',
}

/** The most characters of plain text that are a message. Longer text is something else. */
const longestMessage = 1_000
const vendorWords: Record<Vendor, string> = {
  shop: 'Your shop did not answer. Try again in a minute.',
  google: 'Google did not answer. Try again in a minute.',
}

function problemOf(contentType: string, text: string): Partial<Problem> {
  if (/^text\/plain\b/i.test(contentType)) {
    const message = text.trim()
    return message === '' || message.length > longestMessage ? {} : { message }
  }
  if (!isJson(contentType)) return {}
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'string') return { message: body }
    if (typeof body !== 'object' || body === null) return {}
    const { message, error, uuid, fields } = body as Record<string, unknown>
    return {
      ...(typeof message === 'string' && { message }),
      ...(typeof error === 'number' && { error }),
      ...(typeof uuid === 'string' && { uuid }),
      ...(Array.isArray(fields) && { fields: fields.filter(isField) }),
    }
  } catch {
    return {}
  }
}
const isField = (field: unknown): field is FieldProblem =>
  typeof (field as FieldProblem | null)?.field === 'string' &&
  typeof (field as FieldProblem).message === 'string'
