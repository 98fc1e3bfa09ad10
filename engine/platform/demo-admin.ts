import * as Type from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { type Agent, request } from 'undici'
import { HttpProblem } from '../../domain/problem.ts'

/** Timeout for an answer of the shop, in milliseconds. */
export const shopTimeout = 5_000
/** Maximum length of an answer, in bytes. All templates of a theme are some hundred kilobytes. */
export const maxAnswer = 32 * 1024 * 1024
/**
 * The demo shop's admin API: JSON in and out. Throws HttpProblem: with the shop's own status and
 * words when it refuses (`passedOn`), otherwise 502.
 */
export type DemoAdmin = {
  get: (path: string) => Promise<unknown>
  /** A Buffer is sent unchanged, by default as a script. */
  put: (path: string, body: object, type?: string) => Promise<unknown>
  post: (path: string, body: object) => Promise<unknown>
  delete: (path: string) => Promise<unknown>
  /** Reads a file unchanged; null when there is none. */
  file: (path: string) => Promise<{ type: string; body: Buffer } | null>
}

/** Statuses that concern the request itself. We pass them on with the shop's message. */
const passedOn = [404, 409, 413, 422]
const checkRefusal = Compile(
  Type.Object({
    message: Type.String(),
    fields: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), message: Type.String() })),
    ),
  }),
)

export function demoAdmin({
  shopOrigin,
  appSecret,
  agent,
}: {
  shopOrigin: string
  appSecret: string
  agent: Agent
}): DemoAdmin {
  async function ask(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    body?: object,
    type = 'text/javascript',
  ) {
    try {
      const response = await request(shopOrigin + path, {
        method,
        dispatcher: agent,
        headersTimeout: shopTimeout,
        bodyTimeout: shopTimeout,
        signal: AbortSignal.timeout(shopTimeout),
        headers: {
          authorization: `Bearer ${appSecret}`,
          ...(body && { 'content-type': Buffer.isBuffer(body) ? type : 'application/json' }),
        },
        body: body === undefined ? null : Buffer.isBuffer(body) ? body : JSON.stringify(body),
      })
      return {
        status: response.statusCode,
        type: String(response.headers['content-type'] ?? ''),
        bytes: await wholeAnswer(response.body),
      }
    } catch (error) {
      throw error instanceof HttpProblem ? error : unreachable(error)
    }
  }

  async function json(...asked: Parameters<typeof ask>): Promise<unknown> {
    const { status, bytes } = await ask(...asked)
    const said = jsonOf(bytes)
    if (status === 200 && said !== undefined) return said
    if (passedOn.includes(status) && checkRefusal.Check(said))
      throw new HttpProblem(status, said.message, said.fields)
    throw status === 200 ? nonsense() : new HttpProblem(502, `The shop answered ${status}.`)
  }

  return {
    get: path => json('GET', path),
    put: (path, body, type) => json('PUT', path, body, type),
    post: (path, body) => json('POST', path, body),
    delete: path => json('DELETE', path),
    file: async path => {
      const { status, type, bytes } = await ask('GET', path)
      if (status === 404) return null
      if (status !== 200) throw new HttpProblem(502, `The shop answered ${status}.`)
      return { type, body: bytes }
    },
  }
}

/** Reads a whole answer. Throws HttpProblem 502 when it is longer than `maxAnswer`. */
async function wholeAnswer(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > maxAnswer) throw new HttpProblem(502, 'The shop’s answer is too large.')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Returns the shop's answer if it matches the schema. Throws HttpProblem 502 if it does not. */
export function checked<S extends Type.TSchema>(
  check: Validator<Type.TProperties, S>,
  said: unknown,
): Type.Static<S> {
  if (!check.Check(said)) throw nonsense()
  return said
}

export const unreachable = (cause: unknown) =>
  Object.assign(new HttpProblem(502, 'The shop could not be reached.'), { cause })
const nonsense = () => new HttpProblem(502, 'The shop answered something that cannot be read.')

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
