import type { FastifyInstance, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { paths } from '../../domain/paths.ts'
import type { ShopAddresses } from '../../domain/platform/shop-addresses.ts'
import { SmallScreenNote } from '../../views/shell.tsx'
import { cookieManners } from '../session/cookies.ts'
import { ownPath } from '../../domain/stores/own-address.ts'
import { layoutOf } from './layout.ts'
import { storeAddressesOf } from './shop-addresses.ts'

const dismissed = 'small-screen'
/** Seconds that a browser remembers it. */
const remembered = 365 * 86_400
const drawn = new WeakMap<ShopAddresses, string>()

/**
 * The notice for small screens (requirements 4.10) above the page's content; empty once this
 * browser has dismissed it.
 */
export function smallScreenHtml(request: FastifyRequest): string {
  if (request.cookies[dismissed] === 'dismissed') return ''
  const addresses = storeAddressesOf(request)
  let html = drawn.get(addresses)
  if (html === undefined)
    drawn.set(addresses, (html = renderToString(h(SmallScreenNote, { admin: addresses.admin }))))
  return html
}

/**
 * Dismisses the notice. This is not behind the gate, because the notice is also on pages that a
 * store may not leave.
 */
export function smallScreen(app: FastifyInstance): void {
  app.post(paths.dismissSmallScreen(), (request, reply) => {
    const { app: own } = layoutOf(request).origins
    const from = URL.parse(request.headers.referer ?? '')
    const back = from?.origin === own ? ownPath(from.pathname + from.search) : null
    return reply
      .setCookie(dismissed, 'dismissed', { ...cookieManners(own), maxAge: remembered })
      .redirect(back ?? paths.home(), 303)
  })
}
