import { HttpProblem } from '../../domain/problem.ts'
import { inTransaction, type Database } from '../database.ts'
import { shop } from '../shop.ts'
import type { Outbox } from '../apps/webhooks.ts'

/** What the merchant may change about the shop. */
export type ShopDetails = { name: string; email: string }
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
  const write = db.prepare(
    'insert into shop_details (id, name, email) values (1, ?, ?) on conflict (id) do update set name = excluded.name, email = excluded.email',
  )
  let current = (db.prepare('select name, email from shop_details').get() ?? {
    name: shop.name,
    email: shop.email,
  }) as ShopDetails
  return {
    current: () => current,
    update: ({ name, email }) => {
      if (name === '' || name.length > 100)
        throw new HttpProblem(422, 'The shop needs a name of at most 100 characters.', [
          { field: 'name', message: 'A name of at most 100 characters.' },
        ])
      if (email.length > 200 || !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email))
        throw new HttpProblem(422, 'This is no e-mail address.', [
          { field: 'email', message: 'An e-mail address.' },
        ])
      if (name === current.name && email === current.email) return
      inTransaction(db, () => {
        write.run(name, email)
        outbox.write('shop/update', told({ name, email }), clock())
      })
      current = { name, email }
      outbox.wake()
    },
  }
}
