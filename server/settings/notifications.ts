import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import { attentionOf, watchedOf } from '../../domain/tests/attention.ts'
import { paths } from '../../domain/paths.ts'
import { Notifications } from '../../views/settings/settings-notifications.tsx'
import { lastSeen, look, stoppedSince } from '../page/last-seen.ts'
import { page, seeOther } from '../page/page.ts'
import { toast } from '../page/toasts.ts'
import { apiOf, shellOf } from '../session/visit.ts'

/** The page of what needs the merchant's attention. It marks what is new to this browser. */
export function notifications(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  app.get(paths.settings('notifications'), async (request, reply) => {
    const { store, status, plans } = shellOf(request)
    const api = apiOf(request)
    const looked = lastSeen(request, 'looked')
    const [{ onHold, suspended }, since, { tests: charges }, ga] = await Promise.all([
      stoppedSince(api, null),
      looked && stoppedSince(api, looked),
      api.chargeWarnings({}),
      api.gaSettings({}),
    ])
    const fresh = since ? [...since.onHold.tests, ...since.suspended.tests].map(({ id }) => id) : []
    look(request, reply, 'looked', { onHold: onHold.timestamp, suspended: suspended.timestamp })
    const known = {
      store,
      status,
      plan: plans.find(({ id }) => id === store.planId),
      onHold: onHold.tests,
      suspended: suspended.tests,
      fresh: new Set(fresh),
      charges,
      ga,
      now: clock(),
    }
    return page(
      request,
      reply,
      {},
      h(Notifications, {
        attention: attentionOf(known),
        watched: watchedOf(known),
        onHold: onHold.tests.length,
        timeZone: store.timeZone,
      }),
    )
  })

  // The next page says why a test stays on hold.
  app.post(paths.resumeHeld(), async (request, reply) => {
    const { resumed, refused } = await apiOf(request).resumeOnHold({ body: {} })
    toast(
      request,
      reply,
      outcome(resumed.length, refused.length),
      refused.length > 0 ? 'bad' : 'good',
    )
    return seeOther(request, reply, paths.settings('notifications'))
  })
}

function outcome(resumed: number, refused: number): string {
  if (resumed + refused === 0) return 'No test was on hold.'
  const stays =
    refused === 1
      ? 'One stays on hold: its cause is still there.'
      : `${refused} stay on hold: their causes are still there.`
  const goesOn = resumed === 1 ? 'One test runs again.' : `${resumed} tests run again.`
  return [...(resumed > 0 ? [goesOn] : []), ...(refused > 0 ? [stays] : [])].join(' ')
}
