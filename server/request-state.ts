import type { FastifyInstance } from 'fastify'
import type { JSX } from 'preact'
import type { Toast } from '../domain/toast.ts'
import type { Usage } from './events/usage-events.ts'
import type { OpenPage } from './live/relay-route.ts'
import type { Layout } from './page/layout.ts'
import type { DrawnContent } from './reports/live-content.ts'
import type { Visit } from './session/visit.ts'
import type { StaffVisit } from './staff/staff-visit.ts'

declare module 'fastify' {
  interface FastifyInstance {
    layout?: Layout
    usage?: Usage
    drawnContent?: DrawnContent
  }
  interface FastifyRequest {
    /** The merchant that the gate let in. */
    visit: Visit | null
    /** The member of staff that their gate let in. */
    staffVisit: StaffVisit | null
    /** What the next page says to this browser, once it was read from the cookie. */
    toasts: Toast[] | null
    /** The dialog over the page by which a closed feature is explained. */
    upgradeDialog: JSX.Element | null
    /** Lets those continue who wait for what this request draws. */
    settleContent: (() => void) | null
    /** Whose page opens a WebSocket. */
    openPage: OpenPage | null
  }
}

/** Gives every request of `app` its places for what hooks find out about it. Call it before any route is added. */
export function requestState(app: FastifyInstance): void {
  app.decorateRequest('visit', null)
  app.decorateRequest('staffVisit', null)
  app.decorateRequest('toasts', null)
  app.decorateRequest('upgradeDialog', null)
  app.decorateRequest('settleContent', null)
  app.decorateRequest('openPage', null)
}
