import { minorDigits } from '../../domain/money.ts'
import { highestPrice } from '../../domain/prices/price-rule.ts'
import { ownMarket, type Market } from '../../domain/prices/price-test.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { inTransaction, type Database } from '../database.ts'
import { shop } from '../shop.ts'

/** A currency that the shop sells in, and how prices are made in it. */
export type Currency = Market & {
  code: string
  /** The market's price list: one price for all variants of a product, by its handle. */
  prices: Readonly<Record<string, number>>
}
export type MarketPrices = Pick<Currency, 'step' | 'ending' | 'prices'>

/** Whether the market has a price list. Then the app's price rules change no price there. */
export const hasPriceList = ({ prices }: Pick<Currency, 'prices'>): boolean =>
  Object.keys(prices).length > 0
export type Currencies = {
  /** The shop's own comes first. */
  list: () => Currency[]
  find: (code: string) => Currency | undefined
  /** Throws HttpProblem 422 when a rounding is not valid; then nothing changes. */
  round: (roundings: Record<string, MarketPrices>) => void
}

export const ownCurrency: Currency = { code: shop.currency, ...ownMarket, prices: {} }
/** What the shop begins with: units of each currency per dollar, and its rounding. */
const firstMarkets: Record<string, [perDollar: number, step: number, ending: number]> = {
  EUR: [0.92, 100, 95],
  GBP: [0.79, 1, 0],
  CHF: [0.88, 5, 0],
  CAD: [1.37, 1, 0],
  JPY: [149, 100, 0],
}
const maxStep = 1_000_000

/**
 * The rates are in the shop's own database, so that a price that was shown yesterday can be looked
 * up.
 */
export function openCurrencies(db: Database): Currencies {
  db.exec(
    'create table if not exists currencies (code text primary key, rate real not null check (rate > 0)) strict',
  )
  const has = db.prepare('pragma table_info(currencies)').all() as { name: string }[]
  // A shop from before there was rounding keeps its prices.
  if (!has.some(({ name }) => name === 'step'))
    db.exec(`
      alter table currencies add column step integer not null default 1;
      alter table currencies add column ending integer not null default 0;
      alter table currencies add column prices text not null default '{}'`)
  const add = db.prepare(
    'insert into currencies (code, rate, step, ending) values (?, ?, ?, ?) on conflict do nothing',
  )
  const digits = minorDigits(shop.currency)
  for (const [code, [units, step, ending]] of Object.entries(firstMarkets))
    add.run(code, units * 10 ** (minorDigits(code) - digits), step, ending)
  const read = db.prepare(
    'select code, rate, step, ending, prices from currencies where code <> ? order by rowid',
  )
  const write = db.prepare('update currencies set step = ?, ending = ?, prices = ? where code = ?')
  const all = (): Currency[] => [
    ownCurrency,
    ...(read.all(shop.currency) as (Omit<Currency, 'prices'> & { prices: string })[]).map(row => ({
      ...row,
      prices: JSON.parse(row.prices) as Record<string, number>,
    })),
  ]
  let current = all()
  return {
    list: () => current,
    find: code => current.find(currency => currency.code === code),
    round: roundings => {
      for (const [code, { step, ending, prices }] of Object.entries(roundings)) {
        const isWhole = Number.isInteger(step) && Number.isInteger(ending)
        if (!isWhole || step < 1 || step > maxStep || ending < 0 || ending >= step)
          throw new HttpProblem(422, `The rounding of ${code} is not valid.`, [
            {
              field: code,
              message: `A step from 1 to ${maxStep}, and an ending from 0 to less than the step.`,
            },
          ])
        for (const [handle, price] of Object.entries(prices))
          if (!Number.isInteger(price) || price < 1 || price > highestPrice)
            throw new HttpProblem(422, `The price of ${handle} in ${code} is not valid.`, [
              { field: code, message: 'A line has a product’s handle and its price.' },
            ])
      }
      inTransaction(db, () => {
        for (const [code, { step, ending, prices }] of Object.entries(roundings))
          write.run(step, ending, JSON.stringify(prices), code)
      })
      current = all()
    },
  }
}
