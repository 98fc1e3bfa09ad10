import type { AppPixels } from './app-pixel.ts'
import type { AppTokens } from './app-tokens.ts'
import type { AppScripts } from './app-script.ts'
import type { Billing } from '../billing/billing.ts'
import { hour } from '../../domain/time-units.ts'
import { inTransaction, type Database } from '../database.ts'
import type { PriceRules } from './price-rules.ts'
import { shop } from '../shop.ts'
import type { Outbox } from './webhooks.ts'

/** Whether the app is installed in the shop. A new shop has it installed. */
export type Installation = {
  isInstalled: () => boolean
  install: () => void
  /**
   * Ends the app's tokens, its script, its price rules and its subscriptions, and tells the app
   * last. Doing it again is no error.
   */
  uninstall: () => void
  /**
   * Asks the app once to erase what it knows about the shop, if it was uninstalled and has not been
   * asked since.
   */
  redact: () => void
  /** Does the same when the shop was uninstalled long enough ago. */
  settle: () => void
  /** Whether `redact` would ask the app. */
  isRedactDue: () => boolean
}

/** As on other platforms. */
const redactAfter = 48 * hour

export function prepareInstallation(db: Database): void {
  db.exec(`
    create table if not exists installation (id integer primary key check (id = 1), installed integer not null) strict;
    insert into installation (id, installed) values (1, 1) on conflict do nothing`)
  const columns = db.prepare('pragma table_info(installation)').all() as { name: string }[]
  // The time of an uninstall after which the app was not asked yet to erase what it knows.
  if (!columns.some(({ name }) => name === 'left_at'))
    db.exec('alter table installation add column left_at text')
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
  { scripts, pixels }: { scripts: AppScripts; pixels: AppPixels },
  priceRules: PriceRules,
  tokens: AppTokens,
  clock: () => Date,
): Installation {
  const write = db.prepare('update installation set installed = ? where installed <> ?')
  const leave = db.prepare('update installation set left_at = ?')
  const left = db.prepare('select left_at from installation')
  const leftAt = () => (left.get() as { left_at: string | null }).left_at
  const redact = (): void => {
    inTransaction(db, () => {
      if (leftAt() === null) return
      leave.run(null)
      outbox.write('shop/redact', { shop: shop.shop }, clock())
    })
    outbox.wake()
  }
  return {
    isInstalled: isInstalled(db),
    install: () =>
      inTransaction(db, () => {
        write.run(1, 1)
        leave.run(null)
      }),
    redact,
    settle: () => {
      const at = leftAt()
      if (at !== null && clock().getTime() - Date.parse(at) >= redactAfter) redact()
    },
    isRedactDue: () => leftAt() !== null,
    uninstall: () => {
      inTransaction(db, () => {
        if (write.run(0, 0).changes === 0) return
        const at = clock()
        leave.run(at.toISOString())
        billing.cancelAll()
        tokens.end()
        outbox.write('app/uninstalled', { shop: shop.shop }, at)
      })
      scripts.remove()
      pixels.remove()
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
