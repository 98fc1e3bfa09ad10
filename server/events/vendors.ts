import type { FastifyInstance } from 'fastify'
import type { Extras } from '../../views/document.ts'
import { aboutOf } from '../about.ts'
import type { AppConfig } from '../config.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { usageSender, type UsageTiming } from './usage-sender.ts'

/**
 * The product's own analytics, tag manager and guidance tool. Nothing is sent to a tool that is not
 * configured, and nothing is loaded from it.
 */
export function vendors(
  app: FastifyInstance,
  {
    config,
    upstream,
    clock,
    timing,
  }: {
    config: AppConfig
    upstream: Upstream
    clock: () => Date
    timing?: Partial<UsageTiming> | undefined
  },
): { extras: () => Extras; close: () => Promise<void> } {
  const about = aboutOf(upstream, clock, app.log)
  const sender = usageSender({ origin: config.SEGMENT_ORIGIN, about, log: app.log, timing })
  app.decorate('usage', { sender, clock })
  // Ask early, so that the first page already has the answer.
  app.addHook('onListen', async () => {
    about.now()
  })
  const guidance = config.GUIDANCE_URL && {
    url: config.GUIDANCE_URL,
    reload: config.GUIDANCE_RELOAD ?? '',
  }
  return {
    extras: () => {
      const id = about.now()?.tagManager
      return {
        ...(id && { tagManager: { id, origin: config.GTM_ORIGIN } }),
        ...(guidance && { guidance }),
      }
    },
    close: sender.close,
  }
}
