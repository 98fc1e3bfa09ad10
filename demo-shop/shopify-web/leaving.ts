import { hour } from '../../domain/time-units.ts'
import { inTransaction, type Database } from '../database.ts'
import type { ShopifyInstallation } from '../shopify/app/installation.ts'
import { shopifyShop } from '../shopify/shop-names.ts'
import type { WebState } from './web-state.ts'

/** What follows when the app is uninstalled: it is told, and asked later to erase what it knows. */
export type Leaving = {
  isRedactDue: () => boolean
  /** Asks the app now to erase what it knows about the shop, if it has left and was not asked. */
  redact: () => void
  /** Does the same when it has left long enough ago. */
  settle: () => void
}
const redactAfter = 48 * hour

export function openLeaving(
  db: Database,
  clock: () => Date,
  { deliveries, subscriptions, installs, charges }: WebState,
  installation: ShopifyInstallation,
): Leaving {
  db.exec(
    'create table if not exists shopify_left (id integer primary key check (id = 1), left_at text not null) strict',
  )
  const leave = db.prepare(
    'insert into shopify_left (id, left_at) values (1, ?) on conflict (id) do update set left_at = excluded.left_at',
  )
  const read = db.prepare('select left_at from shopify_left')
  const leftAt = () => (read.get() as { left_at: string } | undefined)?.left_at ?? null
  const own = { domain: shopifyShop.domain, myshopify_domain: shopifyShop.domain }
  // Runs in the transaction of the uninstall. The configuration's own subscription is told last.
  installation.onUninstall(() => {
    const at = clock()
    leave.run(at.toISOString())
    deliveries.write('app/uninstalled', { id: Number(shopifyShop.id), ...own }, at)
    subscriptions.removeAll()
    installs.removeAll()
    charges.cancelAll()
    setImmediate(deliveries.wake)
  })
  const redact = (): void => {
    inTransaction(db, () => {
      const isDue = leftAt() !== null && !installation.isInstalled()
      db.exec('delete from shopify_left')
      if (!isDue) return
      const said = { shop_id: Number(shopifyShop.id), shop_domain: shopifyShop.domain }
      deliveries.write('shop/redact', said, clock())
    })
    deliveries.wake()
  }
  return {
    isRedactDue: () => leftAt() !== null && !installation.isInstalled(),
    redact,
    settle: () => {
      const at = leftAt()
      if (at !== null && clock().getTime() - Date.parse(at) >= redactAfter) redact()
    },
  }
}
