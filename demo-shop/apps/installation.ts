import type { AppScripts } from './app-script.ts'
import type { Billing } from '../billing/billing.ts'
import { inTransaction, type Database } from '../database.ts'
import type { PriceRules } from './price-rules.ts'
import { shop } from '../shop.ts'
import type { Outbox } from './webhooks.ts'

/** Whether the app is installed in the shop. A new shop has it installed. */
export type Installation = {
  isInstalled: () => boolean
  install: () => void
  /**
   * Ends the app's access, its script, its price rules and its subscriptions, and tells the app
   * last. Doing it again is no error.
   */
  uninstall: () => void
}

export function prepareInstallation(db: Database): void {
  db.exec(`
    create table if not exists installation (id integer primary key check (id = 1), installed integer not null) strict;
    insert into installation (id, installed) values (1, 1) on conflict do nothing`)
}

export const isInstalled = (db: Database): (() => boolean) => {
  const read = db.prepare('select installed from installation')
  return () => (read.get() as { installed: number }).installed === 1
}

/** `outbox` is the shop's own, so that the app is still told that it was uninstalled. */
export function openInstallation(
  db: Database,
  outbox: Outbox,
  billing: Billing,
  scripts: AppScripts,
  priceRules: PriceRules,
  clock: () => Date,
): Installation {
  const write = db.prepare('update installation set installed = ? where installed <> ?')
  return {
    isInstalled: isInstalled(db),
    install: () => void write.run(1, 1),
    uninstall: () => {
      inTransaction(db, () => {
        if (write.run(0, 0).changes === 0) return
        billing.cancelAll()
        outbox.write('app/uninstalled', { shop: shop.shop }, clock())
      })
      scripts.remove()
      priceRules.set([])
      outbox.wake()
    },
  }
}

/** An outbox for everything else: it accepts nothing while the app is not installed. */
export const whileInstalled = (outbox: Outbox, installed: () => boolean): Outbox => ({
  ...outbox,
  write: (topic, body, at) => {
    if (installed()) outbox.write(topic, body, at)
  },
})
