import { setTimeout as pause } from 'node:timers/promises'
import { type Agent, request } from 'undici'
import { HttpProblem, VendorProblem } from '../../../../domain/problem.ts'
import { timeLeft, type VendorCalls, vendorCalls } from '../../../http/vendor-calls.ts'
import { Throttled } from '../../rate.ts'
import { TokenRefused, type TokenSource, withToken } from '../../tokens.ts'
import { hasShape, type ShopifyDocument } from '../documents/answer-shape.ts'
import { apiVersion, type Answer, dataOf, maxAnswer } from './answer.ts'
import { backoff, type Budgets } from './budget.ts'
import { PassingFailure, problem, problemOfStatus } from './problems.ts'

/** Timeout for an answer in a job, in milliseconds. */
export const shopifyTimeout = 15_000
/** How often an operation is made again that failed in passing, or was throttled. */
const usualTries = 3
/** The longest pause before a throttled operation is made again here, in milliseconds. */
const longestPause = 10_000

export type AskOptions = {
  /**
   * Whether a second time does no harm, when the first answer was lost. By default true for
   * queries and false for mutations.
   */
  mayRepeat?: boolean
}

export type ShopifyClient = {
  /** Makes an operation of the Admin API. Throws the problems of client/problems.ts. */
  ask: <Data, Variables>(
    shop: string,
    document: ShopifyDocument<Data, Variables>,
    variables: Variables,
    options?: AskOptions,
  ) => Promise<Data>
  /** Reads a file of the platform's file hosts. */
  file: (shop: string, url: string) => Promise<Buffer>
}

export function shopifyClient({
  originOf,
  tokens,
  agent,
  budgets,
  onDrift,
  maxTries = usualTries,
}: {
  originOf: (shop: string) => string
  tokens: TokenSource
  agent: Agent
  budgets: Budgets
  /** Called when Shopify answers in another version than we asked for. */
  onDrift: (version: string) => void
  maxTries?: number | undefined
}): ShopifyClient {
  // For each shop, because a silent one gets less time for a while.
  const calls = new Map<string, VendorCalls>()
  const within = (shop: string): VendorCalls => {
    const own = calls.get(shop) ?? vendorCalls('shop')
    calls.set(shop, own)
    return own
  }

  const post = (shop: string, token: string, body: string): Promise<Answer> =>
    within(shop)(shopifyTimeout, async signal => {
      const {
        statusCode,
        headers,
        body: answer,
      } = await request(`${originOf(shop)}/admin/api/${apiVersion}/graphql.json`, {
        method: 'POST',
        dispatcher: agent,
        headersTimeout: shopifyTimeout,
        bodyTimeout: shopifyTimeout,
        signal,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'x-shopify-access-token': token,
        },
        body,
      })
      return {
        status: statusCode,
        version: String(headers['x-shopify-api-version'] ?? apiVersion),
        retryAfter: Number(headers['retry-after']) || null,
        bytes: await wholeOf(answer),
      }
    })

  async function once<Data, Variables>(
    shop: string,
    token: string,
    document: ShopifyDocument<Data, Variables>,
    body: string,
  ): Promise<Data> {
    const answer = await post(shop, token, body)
    if (answer.version !== apiVersion) onDrift(answer.version)
    const { status } = answer
    if (status === 401) throw new TokenRefused()
    if (status === 429) throw new Throttled(busyWords, answer.retryAfter ?? 1)
    const known = problemOfStatus[status]
    if (known) throw problem(known)
    if (status !== 200) throw new PassingFailure(status)
    const { data, throttle } = dataOf(answer.bytes)
    if (throttle) budgets.note(shop, throttle)
    if (!hasShape(data, document.shape)) throw problem('nonsense')
    return data as Data
  }

  return {
    ask: async (shop, document, variables, { mayRepeat = document.kind === 'query' } = {}) => {
      const body = JSON.stringify({
        query: document.text,
        operationName: document.name,
        variables,
      })
      for (let attempt = 0; ; attempt++)
        try {
          return await withToken(tokens, shop, token => once(shop, token, document, body))
        } catch (error) {
          const wait = attempt < maxTries ? waitAfter(error, attempt, mayRepeat) : null
          if (wait === null || wait >= timeLeft()) throw error
          await pause(wait)
        }
    },
    file: (shop, url) =>
      within(shop)(shopifyTimeout, async signal => {
        const { statusCode, body } = await request(url, {
          dispatcher: agent,
          headersTimeout: shopifyTimeout,
          bodyTimeout: shopifyTimeout,
          signal,
        })
        if (statusCode !== 200) throw new PassingFailure(statusCode)
        return wholeOf(body)
      }),
  }
}

export const busyWords = 'Shopify answers no more for a moment, because there were many calls.'

/** Milliseconds until another try is worth it; null when none is. */
function waitAfter(error: unknown, attempt: number, mayRepeat: boolean): number | null {
  // A throttled operation did nothing, so it may always be made again.
  if (error instanceof Throttled) {
    const wait = error.retryAfter * 1_000
    return wait <= longestPause ? wait + backoff(attempt) / 10 : null
  }
  if (!mayRepeat) return null
  if (error instanceof PassingFailure) return backoff(attempt)
  // The connection was cut off, or never made. A caller who has waited in vain does not wait again.
  if (error instanceof VendorProblem && error.status === 502 && error.cause !== undefined)
    return backoff(attempt)
  return null
}

/** Reads a whole answer. Throws VendorProblem when it is longer than `maxAnswer`. */
async function wholeOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > maxAnswer) throw problem('tooLarge')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Whether the thing that a call is about is gone. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof HttpProblem && error.status === 404
