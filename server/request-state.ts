import type { FastifyInstance } from 'fastify'
import type { JSX } from 'preact'
import type { Toast } from '../domain/toast.ts'
import type { Usage } from './events/usage-events.ts'
import type { OpenPage } from './live/relay-route.ts'
import type { Layout } from './page/layout.ts'
import type { GuestAddresses } from './page/shop-addresses.ts'
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
    /** The addresses that a page without a session may need; null until they were read. */
    addresses: GuestAddresses | null
    /** The member of staff that the staff gate let in. */
    staffVisit: StaffVisit | null
    /** Toasts for the next page; null until they were read from the cookie. */
    toasts: Toast[] | null
    /** The dialog over the page that explains a closed feature. */
    upgradeDialog: JSX.Element | null
    /** Lets the requests continue that wait for the content of this one. */
    settleContent: (() => void) | null
    /** The open page that this request connects by a WebSocket. */
    openPage: OpenPage | null
  }
}

/**
 * Gives every request of `app` the properties that hooks fill in. Call it before any route is
 * added.
 */
export function requestState(app: FastifyInstance): void {
  app.decorateRequest('visit', null)
  app.decorateRequest('addresses', null)
  app.decorateRequest('staffVisit', null)
  app.decorateRequest('toasts', null)
  app.decorateRequest('upgradeDialog', null)
  app.decorateRequest('settleContent', null)
  app.decorateRequest('openPage', null)
}
