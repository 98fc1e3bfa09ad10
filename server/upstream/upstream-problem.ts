import { HttpProblem, type FieldProblem, type Problem } from '../../domain/problem.ts'

/**
 * The API did not answer, or refused. `cause` and `upstreamUuid` are for the log; the message is
 * for a person.
 */
export class UpstreamProblem extends HttpProblem {
  readonly upstreamUuid: string | undefined
  constructor(
    status: number,
    message: string,
    options: { fields?: FieldProblem[]; upstreamUuid?: string | undefined; cause?: unknown } = {},
  ) {
    super(status, message, options.fields)
    this.upstreamUuid = options.upstreamUuid
    this.cause = options.cause
  }
}

export const unreachable = (cause: unknown) =>
  new UpstreamProblem(502, 'Twinshelf cannot reach its data at the moment.', { cause })
export const tooSlow = (cause: unknown) =>
  new UpstreamProblem(504, 'Twinshelf took too long to fetch its data.', { cause })
export const nonsense = (cause: unknown) =>
  new UpstreamProblem(502, 'Twinshelf received data that it cannot read.', { cause })

/**
 * Makes an error of an answer that is no success. The body may be the API's error object; a plain
 * string, which is the message (requirements 8.23); or anything else, such as HTML, which is
 * ignored.
 */
export function refusal(status: number, contentType: string, text: string): UpstreamProblem {
  const { message, uuid, fields } = isJson(contentType) ? problemOf(text) : {}
  if (status >= 500)
    return new UpstreamProblem(
      status === 503 || status === 504 ? status : 502,
      'Something went wrong while fetching the data.',
      { upstreamUuid: uuid },
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

function problemOf(text: string): Partial<Problem> {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'string') return { message: body }
    if (typeof body !== 'object' || body === null) return {}
    const { message, uuid, fields } = body as Record<string, unknown>
    return {
      ...(typeof message === 'string' && { message }),
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
