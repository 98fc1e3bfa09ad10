import type { FastifyPluginAsync } from 'fastify'
import { inTransaction, type Database } from '../database.ts'
import type { Outbox } from '../apps/webhooks.ts'

/**
 * Functions and events that the shop's pages offer to scripts, as some platforms do: a privacy API
 * with a consent banner, and events of the cart. Both are off until the merchant switches them on.
 */
export type PageApiSwitches = { privacy: boolean; cart: boolean }
export type PageApis = {
  current: () => PageApiSwitches
  set: (changed: Partial<PageApiSwitches>) => void
}

/** `told` makes what apps are told about the shop. */
export function openPageApis(
  db: Database,
  outbox: Outbox,
  clock: () => Date,
  told: () => object,
): PageApis {
  db.exec(
    'create table if not exists page_apis (id integer primary key check (id = 1), json text not null) strict',
  )
  const write = db.prepare(
    'insert into page_apis (id, json) values (1, ?) on conflict (id) do update set json = excluded.json',
  )
  const row = db.prepare('select json from page_apis').get() as { json: string } | undefined
  let current: PageApiSwitches = {
    privacy: false,
    cart: false,
    ...(row && (JSON.parse(row.json) as Partial<PageApiSwitches>)),
  }
  return {
    current: () => current,
    set: changed => {
      const next = { ...current, ...changed }
      if (next.privacy === current.privacy && next.cart === current.cart) return
      inTransaction(db, () => {
        write.run(JSON.stringify(next))
        outbox.write('shop/update', told(), clock())
      })
      current = next
      outbox.wake()
    },
  }
}

/** The tag that brings the APIs into every page of the shop; empty when all are off. */
export const pageApisTag = ({ privacy, cart }: PageApiSwitches): string =>
  privacy || cart
    ? `<script src="/page-apis.js"${privacy ? ' data-privacy' : ''}${cart ? ' data-cart' : ''} defer></script>`
    : ''

export const pageApiFiles: FastifyPluginAsync = async app => {
  app.get('/page-apis.js', (_, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .send(pageApisScript),
  )
}

// Runs in browsers, so it is kept as text. The cart is changed at an address of its own, as APIs of
// hosted platforms do.
const pageApisScript = `(() => {
  const { privacy, cart } = document.currentScript.dataset
  const page = (window.shopPage = window.shopPage ?? {})
  const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }))
  if (privacy !== undefined) {
    const said = () => /(?:^|; )shop_consent=(yes|no)/.exec(document.cookie)?.[1]
    const show = () => {
      const bar = document.createElement('form')
      bar.setAttribute('aria-label', 'Privacy')
      bar.style.cssText = 'position:fixed;inset:auto 0 0;z-index:9;display:flex;flex-wrap:wrap;gap:12px;align-items:center;justify-content:center;padding:12px;background:#fff;color:#222;border-top:1px solid #777;font:15px/1.4 sans-serif'
      bar.innerHTML = '<span>May we count your visit?</span><button value="yes">Allow</button><button value="no">Decline</button>'
      for (const button of bar.querySelectorAll('button')) button.style.cssText = 'min-height:44px;padding:0 20px;border:1px solid #222;background:#fff;color:#222;font:inherit;cursor:pointer'
      bar.addEventListener('submit', event => { event.preventDefault(); page.privacy.setConsent(event.submitter.value === 'yes'); bar.remove() })
      document.body.append(bar)
    }
    page.privacy = {
      analyticsAllowed: () => (said() === undefined ? undefined : said() === 'yes'),
      setConsent: isAllowed => {
        document.cookie = 'shop_consent=' + (isAllowed ? 'yes' : 'no') + ';path=/;max-age=31536000;samesite=lax'
        tell('shop:privacy', { analyticsAllowed: isAllowed })
      },
    }
    tell('shop:privacy', { analyticsAllowed: page.privacy.analyticsAllowed() })
    if (said() === undefined) show()
  }
  if (cart !== undefined)
    page.cart = {
      add: async (id, quantity = 1) => {
        const answer = await fetch('/cart/lines.js', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ id, quantity }) })
        const added = await answer.json()
        if (!answer.ok) throw new Error(added.message)
        tell('shop:cart:add', { productId: added.product_id, quantity })
        return added
      },
    }
})()
`
