import * as Type from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { type Agent, request } from 'undici'
import { HttpProblem, VendorProblem } from '../../../domain/problem.ts'
import { Throttled } from '../rate.ts'
import { PartialWrite } from '../partial-write.ts'
import type { VendorCalls } from '../../http/vendor-calls.ts'
import { TokenRefused } from '../tokens.ts'

/** Timeout for an answer of the shop in a job, in milliseconds. */
export const shopTimeout = 5_000
/** Maximum length of an answer, in bytes. All templates of a theme are some hundred kilobytes. */
export const maxAnswer = 32 * 1024 * 1024
/**
 * The demo shop's admin API: JSON in and out. Throws HttpProblem: with the shop's own status and
 * words when it refuses (`passedOn`), 504 when it does not answer in time, otherwise 502.
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
    done: Type.Optional(Type.Array(Type.String())),
    failed: Type.Optional(Type.Array(Type.Object({ item: Type.String(), message: Type.String() }))),
  }),
)

type Asked = [method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: object, type?: string]

export function demoAdmin({
  shopOrigin,
  withToken,
  agent,
  ask: asked,
}: {
  shopOrigin: string
  /** Gives a call the token of its shop, and another one when the shop refuses it. */
  withToken: <T>(call: (token: string) => Promise<T>) => Promise<T>
  agent: Agent
  ask: VendorCalls
}): DemoAdmin {
  const ask = (...request: Asked) =>
    withToken(async token => {
      const answer = await askWith(token, ...request)
      if (answer.status === 401) throw new TokenRefused()
      return answer
    })
  const askWith = (token: string, ...[method, path, body, type = 'text/javascript']: Asked) =>
    asked(shopTimeout, async signal => {
      const response = await request(shopOrigin + path, {
        method,
        dispatcher: agent,
        headersTimeout: shopTimeout,
        bodyTimeout: shopTimeout,
        signal,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { 'content-type': Buffer.isBuffer(body) ? type : 'application/json' }),
        },
        body: body === undefined ? null : Buffer.isBuffer(body) ? body : JSON.stringify(body),
      })
      const answer = {
        status: response.statusCode,
        type: String(response.headers['content-type'] ?? ''),
        retryAfter: Number(response.headers['retry-after']),
        bytes: await wholeAnswer(response.body),
      }
      if (answer.status === 429)
        throw new Throttled('The shop answers no more for a moment.', answer.retryAfter || 1)
      return answer
    })

  async function json(...asked: Asked): Promise<unknown> {
    const { status, bytes } = await ask(...asked)
    const said = jsonOf(bytes)
    if (status === 200 && said !== undefined) return said
    if (passedOn.includes(status) && checkRefusal.Check(said) && said.done && said.failed)
      throw new PartialWrite(said.done, said.failed)
    if (passedOn.includes(status) && checkRefusal.Check(said))
      throw new HttpProblem(status, said.message, said.fields)
    throw status === 200 ? nonsense() : answered(status)
  }

  return {
    get: path => json('GET', path),
    put: (path, body, type) => json('PUT', path, body, type),
    post: (path, body) => json('POST', path, body),
    delete: path => json('DELETE', path),
    file: async path => {
      const { status, type, bytes } = await ask('GET', path)
      if (status === 404) return null
      if (status !== 200) throw answered(status)
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
    if (bytes > maxAnswer) throw failed('The shop’s answer is too large.')
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

const answered = (status: number) => failed(`The shop answered ${status}.`)
const failed = (message: string) => new VendorProblem('shop', 502, message)
const nonsense = () => failed('The shop answered something that cannot be read.')

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
