import type { Readable } from 'node:stream'
import { Pool } from 'undici'
import { type Backoff, usualBackoff, waitAfter } from '../../domain/backoff.ts'
import type { Call } from '../../domain/api/call.ts'
import { callTimeouts, engineTimeout } from '../../domain/call-timeouts.ts'
import type { AuthTokens } from '../../domain/calls/session.ts'
import {
  contract,
  type CallName,
  type FileCallName,
  type Input,
  type Output,
} from '../../domain/api/contract.ts'
import type { StaffCallName, StaffInput, StaffOutput } from '../../domain/staff/staff-contract.ts'
import { quotas } from '../../domain/quota.ts'
import { fairTurns } from '../../domain/fair-turns.ts'
import { ownerOf } from './token-owner.ts'
import { type AnyCallName, calls, pathOf, read, type Values } from './upstream-calls.ts'
import {
  isJson,
  refusal,
  tooSlow,
  UnexpectedAnswer,
  unreachable,
  type UpstreamProblem,
} from './upstream-problem.ts'

export type Timeouts = Backoff & {
  /** Milliseconds one attempt may take. */
  timeout: number
  /** Milliseconds after which no further attempt begins. */
  deadline: number
}
const usualTimeouts: Timeouts = {
  timeout: callTimeouts.engine,
  deadline: 7000,
  ...usualBackoff,
}
const attempts = 4
const largestAnswer = 8 * 1024 * 1024
/**
 * Connections to the API. Stores and staff share `shared`; calls for no store, such as sign-ins and
 * readiness, have `others` in addition.
 */
const connections = { shared: 64, others: 16 }

/**
 * `turnsOf`: the key under which the call takes its turn (fair-turns.ts). `address`: the browser's
 * address, for calls that are limited by it. `etag`: that of the answer that the caller has.
 */
type Asker = { token?: string; turnsOf?: string } & {
  [name in 'address' | 'etag']?: string | undefined
}
// A token may name any store. With this prefix none of them has the key of staff.
const turnsOfStore = (token: string) => `store ${ownerOf(token)}`

/**
 * `etag`: what to send with the same call the next time; null when the API gave none. 'unchanged':
 * the answer is still the one with the etag that was sent. Null for a status that means "none".
 */
export type Answer = { text: string; etag: string | null } | 'unchanged' | null

/**
 * Sends calls of the contract to the API. Answers are text, because a caller that knows the text
 * already need not parse it.
 */
export type Upstream = {
  /** The text of a 2xx answer, or null for a status that means "none". Throws `UpstreamProblem`. */
  send: <N extends CallName>(name: N, input: Input<N>, token?: string) => Promise<string | null>
  /** The same for a caller that may have the answer already, with this etag. */
  sendUnless: <N extends CallName>(
    name: N,
    input: Input<N>,
    token: string,
    etag: string | undefined,
  ) => Promise<Answer>
  /** The same for a call of staff, with a staff token. */
  sendForStaff: <N extends StaffCallName>(
    name: N,
    input: StaffInput<N>,
    token: string,
  ) => Promise<string | null>
  /**
   * A file as a stream, without waiting for its end. Throws `UpstreamProblem`; null for a status
   * that means "none".
   */
  download: <N extends FileCallName>(
    name: N,
    input: Input<N>,
    token: string,
  ) => Promise<Download | null>
  /**
   * Signs in with the platform's token, or with our refresh token. `address` is the browser's,
   * because sign-ins are limited by address.
   */
  auth: (input: Input<'auth'>['body'], address?: string) => Promise<AuthTokens>
  /**
   * Uses a download link up. Returns the token of the session that made it. `address` as for
   * `auth`.
   */
  useDownloadLink: (
    input: Input<'useDownloadLink'>['body'],
    address?: string,
  ) => Promise<{ token: string }>
  /**
   * A call of staff that needs no token. `address` is the browser's, because these calls are
   * limited by address too.
   */
  forStaff: <N extends StaffCallName>(
    name: N,
    input: StaffInput<N>,
    address: string,
  ) => Promise<StaffOutput<N>>
  /** Where a shop's platform has its pages, asked once: a page that needs it must not wait. */
  addresses: (shop: string | undefined) => Promise<Output<'addresses'>>
  /** Whether the API says that it can take requests. */
  isReady: () => Promise<boolean>
  close: () => Promise<void>
}

/** `name` is the file name under which browsers save it; null for a file that browsers show. */
export type Download = { type: string; name: string | null; body: Readable }

export function createUpstream(origin: string, options: Partial<Timeouts> = {}): Upstream {
  const wait = { ...usualTimeouts, ...options }
  const pool = new Pool(origin, {
    connections: connections.shared + connections.others,
    headersTimeout: wait.timeout,
    bodyTimeout: wait.timeout,
    connect: { timeout: wait.timeout },
    maxResponseSize: largestAnswer,
  })
  // Files may have any size, and the browsers that read them may be slow: their bodies have no
  // timeout.
  const files = new Pool(origin, {
    connections: connections.shared,
    headersTimeout: wait.timeout,
    bodyTimeout: 0,
    connect: { timeout: wait.timeout },
  })
  // A call that waits for a shop holds a connection. A few stores must not hold all of them.
  const share = { all: connections.shared, each: quotas.appCalls }
  const callTurns = fairTurns(share),
    fileTurns = fairTurns(share)

  async function tried(
    name: AnyCallName,
    path: string,
    body: object | undefined,
    asker: Asker,
  ): Promise<Answer> {
    const call: Call = calls[name]
    const { statusCode, contentType, etag, text } = await ask(
      call.method,
      path,
      body,
      asker,
      engineTimeout(call, wait.timeout),
    )
    if (call.none?.includes(statusCode)) return null
    if (statusCode === 304 && asker.etag !== undefined) return 'unchanged'
    if (statusCode < 200 || statusCode > 299) throw refusal(statusCode, contentType, text)
    if (!isJson(contentType)) throw new UnexpectedAnswer(name, text, `content type ${contentType}`)
    return { text, etag }
  }

  async function ask(
    method: Call['method'],
    path: string,
    body: object | undefined,
    { token, turnsOf, address, etag }: Asker,
    timeout = wait.timeout,
  ) {
    const headers: Record<string, string> = { accept: 'application/json' }
    if (token) headers['authorization'] = `Bearer ${token}`
    if (body) headers['content-type'] = 'application/json'
    if (address) headers['x-forwarded-for'] = address
    if (etag !== undefined) headers['if-none-match'] = etag
    const signal = AbortSignal.timeout(timeout)
    let end: (() => void) | undefined
    try {
      if (turnsOf) end = await callTurns.take(turnsOf, signal)
      const response = await pool.request({
        method,
        path,
        headers,
        headersTimeout: timeout,
        bodyTimeout: timeout,
        signal,
        ...(body && { body: JSON.stringify(body) }),
      })
      return {
        statusCode: response.statusCode,
        contentType: String(response.headers['content-type'] ?? ''),
        etag: typeof response.headers['etag'] === 'string' ? response.headers['etag'] : null,
        text: await response.body.text(),
      }
    } catch (error) {
      throw isTimeout(error) ? tooSlow(error) : unreachable(error)
    } finally {
      end?.()
    }
  }

  const send = async (name: AnyCallName, input: object, asker: Asker): Promise<Answer> => {
    const call: Call = calls[name]
    const { body, ...values } = input as Values
    const path = pathOf(name, values, asker.token)
    if (call.method !== 'GET') return tried(name, path, body, asker)
    const start = performance.now()
    for (let tries = 1; ; tries++) {
      const pause = waitAfter(tries, Math.random(), wait)
      try {
        return await tried(name, path, body, asker)
      } catch (error) {
        // A vendor that failed has had its time already: the page opens without it.
        const { status, vendor } = error as UpstreamProblem
        const isPassing = [429, 502, 503, 504].includes(status) && vendor === null
        if (!isPassing || tries === attempts || performance.now() - start + pause > wait.deadline)
          throw error
      }
      await new Promise(resolve => setTimeout(resolve, pause))
    }
  }

  const download: Upstream['download'] = async (name, input, token) => {
    const call: Call = contract[name]
    let response
    let end: (() => void) | undefined
    try {
      end = await fileTurns.take(turnsOfStore(token), AbortSignal.timeout(wait.timeout))
      // The timeout is for the beginning of the file. The whole file may take long.
      response = await files.request({
        method: call.method,
        path: pathOf(name, input as Values, token),
        headers: { authorization: `Bearer ${token}` },
      })
    } catch (error) {
      end?.()
      throw isTimeout(error) ? tooSlow(error) : unreachable(error)
    }
    const { statusCode, headers, body } = response
    body.once('close', end)
    const type = String(headers['content-type'] ?? '')
    if (statusCode === 200)
      return {
        type,
        name: /filename="([^"]+)"/.exec(String(headers['content-disposition'] ?? ''))?.[1] ?? null,
        body,
      }
    const text = await body.text()
    if (call.none?.includes(statusCode)) return null
    throw refusal(statusCode, type, text)
  }

  /** One attempt at a call that always has an answer. */
  const attempt = async <T>(name: AnyCallName, path: string, body?: object, address?: string) =>
    read<T>(name, textOf(await tried(name, path, body, { address }))!)

  return {
    send: async (name, input, token) =>
      textOf(await send(name, input, token ? { token, turnsOf: turnsOfStore(token) } : {})),
    sendUnless: (name, input, token, etag) =>
      send(name, input, { token, turnsOf: turnsOfStore(token), etag }),
    sendForStaff: async (name, input, token) =>
      textOf(await send(name, input, { token, turnsOf: 'staff' })),
    download,
    auth: (body, address) => attempt('auth', contract.auth.path, body, address),
    addresses: shop => attempt('addresses', pathOf('addresses', { query: { shop } })),
    useDownloadLink: (body, address) =>
      attempt('useDownloadLink', contract.useDownloadLink.path, body, address),
    forStaff: (name, input, address) => {
      const { body, ...values } = input as Values
      return attempt(name, pathOf(name, values), body, address)
    },
    isReady: () =>
      ask('GET', '/readyz', undefined, {}).then(
        ({ statusCode }) => statusCode === 200,
        () => false,
      ),
    close: async () => {
      await Promise.all([pool.destroy(), files.destroy()])
    },
  }
}

const textOf = (answer: Answer): string | null =>
  answer === null || answer === 'unchanged' ? null : answer.text

const isTimeout = (error: unknown): boolean => {
  const { name, code } = error as { name?: string; code?: string }
  return (
    name === 'TimeoutError' ||
    code === 'UND_ERR_HEADERS_TIMEOUT' ||
    code === 'UND_ERR_BODY_TIMEOUT' ||
    code === 'UND_ERR_CONNECT_TIMEOUT'
  )
}
