import type {} from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import type { Api } from '../domain/api-client.ts'
import { attentionOf } from '../domain/attention.ts'
import type { Output } from '../domain/contract.ts'
import { paths } from '../domain/paths.ts'
import { shopName } from '../domain/startup.ts'
import { Notifications } from '../views/settings-notifications.tsx'
import { cookieManners } from './cookies.ts'
import { page, seeOther } from './page.ts'
import { paperOf } from './paper.ts'
import { toast } from './toasts.ts'
import { apiOf, shellOf, storeOf } from './visit.ts'

/** Seconds that a browser remembers when it last looked. */
const remembered = 365 * 86_400

/** What needs the merchant, and which of it is new to this browser. */
export function notifications(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  app.get(paths.settings('notifications'), async (request, reply) => {
    const { store, status, plans } = shellOf(request)
    const api = apiOf(request)
    const looked = lastLook(request)
    const [onHold, suspended, fresh, ga] = await Promise.all([api.newOnHold({ query: {} }), api.newSuspended({ query: {} }), looked ? newSince(api, looked) : [], api.gaSettings({})])
    look(request, reply, { onHold: onHold.timestamp, suspended: suspended.timestamp })
    const attention = attentionOf({
      store, status, plan: plans.find(({ id }) => id === store.planId), onHold: onHold.tests, suspended: suspended.tests, fresh: new Set(fresh), ga, now: clock(),
    })
    return page(request, reply, {}, h(Notifications, { attention, onHold: onHold.tests.length, timeZone: store.timeZone }))
  })

  // What stays on hold says why on the page that comes next.
  app.post(paths.resumeHeld(), async (request, reply) => {
    const { resumed, refused } = await apiOf(request).resumeOnHold({ body: {} })
    toast(request, reply, outcome(resumed.length, refused.length), refused.length > 0 ? 'bad' : 'good')
    return seeOther(request, reply, paths.settings('notifications'))
  })
}

function outcome(resumed: number, refused: number): string {
  if (resumed + refused === 0) return 'No test was on hold any more.'
  const stays = refused === 1 ? 'One stays on hold: its cause is still there.' : `${refused} stay on hold: their causes are still there.`
  const goesOn = resumed === 1 ? 'One test runs again.' : `${resumed} tests run again.`
  return [...(resumed > 0 ? [goesOn] : []), ...(refused > 0 ? [stays] : [])].join(' ')
}

/** Up to when this browser has seen what was put on hold, and what was suspended: the instants that the API gave to ask from. */
type Look = { onHold: string; suspended: string }

async function newSince(api: Api, { onHold, suspended }: Look): Promise<string[]> {
  const ids = ({ tests }: Output<'newOnHold'>) => tests.map(({ id }) => id)
  const answers = await Promise.all([api.newOnHold({ query: { timestamp: onHold } }), api.newSuspended({ query: { timestamp: suspended } })])
  return answers.flatMap(ids)
}

function lastLook(request: FastifyRequest): Look | null {
  const [onHold = '', suspended = ''] = (request.cookies[cookieName(request)] ?? '').split('_')
  // Only what `look` could have written: a browser can send any cookie.
  return isInstant(onHold) && isInstant(suspended) ? { onHold, suspended } : null
}
const isInstant = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text))

function look(request: FastifyRequest, reply: FastifyReply, { onHold, suspended }: Look): void {
  reply.setCookie(cookieName(request), `${onHold}_${suspended}`, { ...cookieManners(paperOf(request).origins.app), maxAge: remembered })
}

const cookieName = (request: FastifyRequest): string => `${paperOf(request).origins.app.startsWith('https:') ? '__Host-' : ''}looked_${shopName(storeOf(request).shop)}`
