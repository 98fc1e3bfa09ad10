import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { paths } from '../../domain/paths.ts'
import type { ShopAddresses } from '../../domain/platform/shop-addresses.ts'
import { documentHtml, escapeHtml } from '../../views/document.ts'
import { Opening } from '../../views/guest.tsx'
import { neverKept, policy } from '../http/security.ts'
import { bareTopbarHtml } from '../page/frame.ts'
import { layoutOf } from '../page/layout.ts'
import { originsOf } from '../page/page.ts'

/**
 * Answers a page that was asked for right after a sign-in whose cookies did not come back. The
 * small page gets a token from the admin that frames it, holds the session itself, and then loads
 * the page that was asked for into the same document (decision 075). So it allows what any page of
 * a store allows. `again`: the page to sign in for, where the platform's own script gets the token
 * and the admin has no address that signs in.
 */
export function bounce(
  request: FastifyRequest,
  reply: FastifyReply,
  addresses: ShopAddresses,
  again?: string,
): FastifyReply {
  const { asset, extras, scheduler } = layoutOf(request)
  const nonce = randomBytes(16).toString('base64'),
    others = originsOf({ ...extras(), ...(scheduler && { scheduler }) })
  const data = {
    admin: new URL(addresses.admin).origin,
    ...(addresses.tokenMessage && { says: addresses.tokenMessage }),
    auth: paths.auth(),
    missing: paths.authMissing(),
    link: paths.downloadLink(),
    ...(again !== undefined && { again }),
  }
  const script = `<script type="module" src="${asset('bounce.js')}" data-bounce${Object.entries(
    data,
  )
    .map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
    .join('')} nonce="${nonce}"></script>`
  return neverKept(reply)
    .type('text/html; charset=utf-8')
    .header(
      'content-security-policy',
      policy(nonce, addresses, true, others, scheduler ? [new URL(scheduler.url).origin] : []),
    )
    .send(
      documentHtml({
        title: 'Opening',
        frame: 'bare',
        body: `${bareTopbarHtml('')}<main id="content">${renderToString(h(Opening, { entrances: [addresses] }))}</main>${script}`,
        nonce,
        asset,
        scripts: () => [],
        sheets: [],
        isText: true,
        host: addresses,
      }),
    )
}
