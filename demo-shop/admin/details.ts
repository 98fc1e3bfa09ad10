import { HttpProblem } from '../../domain/problem.ts'
import { inTransaction, type Database } from '../database.ts'
import { shop } from '../shop.ts'
import type { Outbox } from '../apps/webhooks.ts'

/** What the merchant may change about the shop. */
export type ShopDetails = {
  name: string
  email: string
  /** Percent of tax that all prices include; 0 when prices are without tax. */
  taxRate: number
}
export type Details = {
  current: () => ShopDetails
  /** Throws HttpProblem 422 when a value is not valid. */
  update: (details: ShopDetails) => void
}

/** `told` makes what apps are told about the shop. */
export function openDetails(
  db: Database,
  outbox: Outbox,
  clock: () => Date,
  told: (details: ShopDetails) => object,
): Details {
  db.exec(
    'create table if not exists shop_details (id integer primary key check (id = 1), name text not null, email text not null) strict',
  )
  const has = db.prepare('pragma table_info(shop_details)').all() as { name: string }[]
  if (!has.some(column => column.name === 'tax_rate'))
    db.exec('alter table shop_details add column tax_rate real not null default 0')
  const write = db.prepare(
    'insert into shop_details (id, name, email, tax_rate) values (1, ?, ?, ?) on conflict (id) do update set name = excluded.name, email = excluded.email, tax_rate = excluded.tax_rate',
  )
  let current = (db
    .prepare('select name, email, tax_rate as "taxRate" from shop_details')
    .get() ?? {
    name: shop.name,
    email: shop.email,
    taxRate: 0,
  }) as ShopDetails
  return {
    current: () => current,
    update: ({ name, email, taxRate }) => {
      if (name === '' || name.length > 100)
        throw new HttpProblem(422, 'The shop needs a name of at most 100 characters.', [
          { field: 'name', message: 'A name of at most 100 characters.' },
        ])
      if (email.length > 200 || !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email))
        throw new HttpProblem(422, 'This is no e-mail address.', [
          { field: 'email', message: 'An e-mail address.' },
        ])
      if (!(taxRate >= 0 && taxRate <= 50))
        throw new HttpProblem(422, 'Enter a tax from 0 to 50 percent.', [
          { field: 'tax_rate', message: 'From 0 to 50.' },
        ])
      if (name === current.name && email === current.email && taxRate === current.taxRate) return
      inTransaction(db, () => {
        write.run(name, email, taxRate)
        outbox.write('shop/update', told({ name, email, taxRate }), clock())
      })
      current = { name, email, taxRate }
      outbox.wake()
    },
  }
}
