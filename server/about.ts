import type { FastifyBaseLogger } from 'fastify'
import { tagManagerId } from '../domain/google/gtm-id.ts'
import type { Upstream } from './upstream/upstream.ts'
import { read } from './upstream/upstream-calls.ts'
import type { Output } from '../domain/api/contract.ts'

/**
 * The engine's answer to `about`. `writeKey` and `tagManager` are null when they are not
 * configured.
 */
export type About = { version: string; writeKey: string | null; tagManager: string | null }
export type KnownAbout = {
  /**
   * The last answer, or null before the first. Does not wait; starts a new request when the answer
   * is too old.
   */
  now: () => About | null
  /** Resolves when no request is under way. */
  settled: () => Promise<void>
}

/**
 * In milliseconds: how long an answer is used, and how long to wait after a request that failed.
 */
const life = 300_000
const pause = 30_000

/**
 * Asks the API about the product, without a token, at most every five minutes. When the request
 * fails, the last answer stays in use.
 */
export function aboutOf(
  { send }: Pick<Upstream, 'send'>,
  clock: () => Date,
  log: FastifyBaseLogger,
): KnownAbout {
  let about: About | null = null
  let nextAt = 0
  let malformed: string | null = null
  let asking: Promise<void> = Promise.resolve()

  async function ask(): Promise<void> {
    try {
      const text = await send('about', {})
      const { google, segment, version } = read<Output<'about'>>('about', text!)
      about = { version, writeKey: segment.writeKey, tagManager: checked(google.analytics.gtm) }
    } catch (error) {
      nextAt = clock().getTime() + pause
      log.warn({ err: error }, 'asking the API about the product failed')
    }
  }

  /**
   * Logs a malformed id as an error, once per id (requirements 25.15). The pages then load no tag
   * manager.
   */
  function checked(id: string | null): string | null {
    try {
      return id === null ? null : tagManagerId(id)
    } catch (error) {
      if (malformed !== id) log.error({ err: error }, 'tag manager id')
      malformed = id
      return null
    }
  }

  return {
    now: () => {
      const now = clock().getTime()
      if (now >= nextAt) {
        nextAt = now + life
        asking = ask()
      }
      return about
    },
    settled: () => asking,
  }
}
