import type { FastifyBaseLogger } from 'fastify'
import { tagManagerId } from '../domain/google/gtm-id.ts'
import { read, type Upstream } from './upstream/upstream.ts'
import type { Output } from '../domain/api/contract.ts'

/** What the API says of the product itself; null for what is not configured. */
export type About = { version: string; writeKey: string | null; tagManager: string | null }
export type KnownAbout = {
  /** What is known now, or null before the first answer: no page waits for it. Looks whether it should be asked again. */
  now: () => About | null
  /** Resolves when nothing is being asked. */
  settled: () => Promise<void>
}

/** Milliseconds an answer is good for, and until the next attempt after none came. */
const life = 300_000
const pause = 30_000

/** Asks without a token, now and then. What is known stays when the API cannot be asked. */
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
      log.warn({ err: error }, 'the API does not say what the product is')
    }
  }

  /** A malformed id is an error (requirements 25.15), said once; the pages continue without a tag manager. */
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
