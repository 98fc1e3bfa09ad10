import { Agent, request } from 'undici'
import { HttpProblem, VendorProblem } from '../../domain/problem.ts'
import type { EngineConfig } from '../config.ts'
import { vendorCalls } from '../http/vendor-calls.ts'

/** Timeout of a call to Google in a job, in milliseconds. */
const timeout = 10_000
/** Maximum length of an answer, in bytes. Google's answers are small. */
const answerBytes = 5_000_000

export type Tokens = {
  access_token: string
  expires_in: number
  refresh_token?: string
  scope?: string
}
export type TokenAnswer = { tokens: Tokens } | { refused: string }
/**
 * Google's endpoints, as they are documented. Every call throws VendorProblem: 504 when Google does
 * not answer in time, 502 when Google cannot be reached or answers nonsense.
 */
export type Google = {
  /** Null when no Google client is configured. */
  client: { id: string; secret: string } | null
  consentUrl: (query: Record<string, string>) => string
  /** The token endpoint; `refused` is its error code ("invalid_grant"). */
  token: (form: Record<string, string>) => Promise<TokenAnswer>
  /** Revokes a token. A token that is no longer valid is no error. */
  revoke: (token: string) => Promise<void>
  /**
   * The Admin API. Throws HttpProblem with Google's own status for 400, 401, 403 and 404, and 503
   * for Google's 429.
   */
  admin: (token: string, method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>
  /** The Measurement Protocol. Returns true when Google took the events. */
  collect: (stream: { measurementId: string; secret: string }, body: object) => Promise<boolean>
  close: () => Promise<void>
}

export function openGoogle(config: EngineConfig): Google {
  const agent = new Agent({ connect: { timeout: 5_000 }, keepAliveTimeout: 10_000 })
  const timed = vendorCalls('google')
  const { GOOGLE_CLIENT_ID: id, GOOGLE_CLIENT_SECRET: secret } = config

  const send = (
    url: string,
    method: 'GET' | 'POST',
    headers: Record<string, string>,
    body: string | null,
  ): Promise<{ status: number; text: string }> =>
    timed(timeout, async signal => {
      const response = await request(url, {
        method,
        headers,
        body,
        dispatcher: agent,
        headersTimeout: timeout,
        bodyTimeout: timeout,
        signal,
      })
      const chunks: Buffer[] = []
      let bytes = 0
      // Leaving the loop early ends the connection.
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        bytes += chunk.length
        if (bytes > answerBytes) throw new Error('too large an answer')
        chunks.push(chunk)
      }
      return { status: response.statusCode, text: Buffer.concat(chunks).toString() }
    })
  const form = (url: string, fields: Record<string, string>) =>
    send(
      url,
      'POST',
      { 'content-type': 'application/x-www-form-urlencoded' },
      new URLSearchParams(fields).toString(),
    )

  return {
    client: id && secret ? { id, secret } : null,
    consentUrl: query =>
      `${config.GOOGLE_ACCOUNTS_ORIGIN}/o/oauth2/v2/auth?${new URLSearchParams(query)}`,
    token: async fields => {
      const { status, text } = await form(`${config.GOOGLE_OAUTH_ORIGIN}/token`, fields)
      const answer = json(text) as Partial<Tokens> & { error?: unknown }
      if (
        status === 200 &&
        typeof answer.access_token === 'string' &&
        typeof answer.expires_in === 'number'
      )
        return { tokens: answer as Tokens }
      if (status >= 400 && status < 500 && typeof answer.error === 'string')
        return { refused: answer.error }
      throw nonsense(status)
    },
    revoke: async token => {
      const { status } = await form(`${config.GOOGLE_OAUTH_ORIGIN}/revoke`, { token })
      if (status !== 200 && status !== 400) throw nonsense(status)
    },
    admin: async (token, method, path, body) => {
      const { status, text } = await send(
        `${config.GOOGLE_API_ORIGIN}${path}`,
        method,
        {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          ...(body && { 'content-type': 'application/json' }),
        },
        body ? JSON.stringify(body) : null,
      )
      if (status === 200) return json(text)
      if (status === 429)
        throw new HttpProblem(503, 'Google asks us to wait. Try again in a minute.')
      if ([400, 401, 403, 404].includes(status))
        throw new HttpProblem(status, saidBy(text) ?? `Google answered ${status}.`)
      throw nonsense(status)
    },
    collect: async ({ measurementId, secret }, body) => {
      const { status } = await send(
        `${config.GOOGLE_COLLECT_ORIGIN}/mp/collect?${new URLSearchParams({ measurement_id: measurementId, api_secret: secret })}`,
        'POST',
        { 'content-type': 'application/json' },
        JSON.stringify(body),
      )
      return status >= 200 && status < 300
    },
    close: () => agent.close(),
  }
}

const nonsense = (status: number) => new VendorProblem('google', 502, `Google answered ${status}.`)

function json(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Not JSON: throw below.
  }
  throw new VendorProblem('google', 502, 'Google’s answer is not JSON.')
}

/** The message of Google's error form: { error: { code, message, status } }. */
function saidBy(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } }
    return typeof error?.message === 'string' ? `Google says: ${error.message.slice(0, 500)}` : null
  } catch {
    return null
  }
}
