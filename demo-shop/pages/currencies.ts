import { minorDigits } from '../../domain/money.ts'
import type { Database } from '../database.ts'
import { shop } from '../shop.ts'

/**
 * A currency that the shop sells in. `rate`: how many of its minor units equal one minor unit of
 * the shop's own currency.
 */
export type Currency = { code: string; rate: number }
export type Currencies = {
  /** The shop's own comes first. */
  list: () => Currency[]
  find: (code: string) => Currency | undefined
}

export const ownCurrency: Currency = { code: shop.currency, rate: 1 }
/** The rates that the shop begins with: units of each currency per dollar. */
const perDollar = { EUR: 0.92, GBP: 0.79, CHF: 0.88, CAD: 1.37, JPY: 149 }

/**
 * The rates are in the shop's own database, so that a price that was shown yesterday can be looked
 * up.
 */
export function openCurrencies(db: Database): Currencies {
  db.exec(
    'create table if not exists currencies (code text primary key, rate real not null check (rate > 0)) strict',
  )
  const add = db.prepare('insert into currencies (code, rate) values (?, ?) on conflict do nothing')
  const digits = minorDigits(shop.currency)
  for (const [code, units] of Object.entries(perDollar))
    add.run(code, units * 10 ** (minorDigits(code) - digits))
  const rows = db
    .prepare('select code, rate from currencies where code <> ? order by rowid')
    .all(shop.currency) as Currency[]
  const all = [ownCurrency, ...rows.map(({ code, rate }) => ({ code, rate }))]
  return { list: () => all, find: code => all.find(currency => currency.code === code) }
}
