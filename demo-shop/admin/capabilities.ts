import { Compile } from 'typebox/compile'
import { Capabilities, richest } from '../../domain/platform/capabilities.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { inTransaction, type Database } from '../database.ts'
import type { Outbox } from '../apps/webhooks.ts'

/** What this shop can do. It can do everything until its merchant takes something away. */
export type ShopCapabilities = {
  current: () => Capabilities
  /**
   * Saves what has changed and tells apps about it. Throws HttpProblem 422, which names the field,
   * when a value is not valid.
   */
  set: (changed: Partial<Capabilities>) => void
}

const check = Compile(Capabilities)

/**
 * `onSwitch`: called in the transaction in which the merchant becomes the one who turns the script
 * on. `first`: what the shop can do until its merchant changes that.
 */
export function openCapabilities(
  db: Database,
  outbox: Outbox,
  clock: () => Date,
  { onSwitch, first = richest }: { onSwitch: () => void; first?: Capabilities | undefined },
): ShopCapabilities {
  db.exec(
    'create table if not exists shop_capabilities (id integer primary key check (id = 1), json text not null) strict',
  )
  const write = db.prepare(
    'insert into shop_capabilities (id, json) values (1, ?) on conflict (id) do update set json = excluded.json',
  )
  const row = db.prepare('select json from shop_capabilities').get() as { json: string } | undefined
  let current: Capabilities = { ...first, ...(row && JSON.parse(row.json)) }
  return {
    current: () => current,
    set: changed => {
      const before = current,
        next = { ...current, ...changed }
      if (!check.Check(next)) throw wrong(check.Errors(next)[0]?.instancePath.slice(1) ?? '')
      if (JSON.stringify(next) === JSON.stringify(before)) return
      inTransaction(db, () => {
        write.run(JSON.stringify(next))
        if (next.scriptWay === 'switch' && before.scriptWay !== 'switch') onSwitch()
        outbox.write('app/scopes_update', next, clock())
      })
      current = next
      outbox.wake()
    },
  }
}

const wrong = (field: string) =>
  new HttpProblem(422, `${field}: This is not possible.`, [
    { field, message: 'This is not possible.' },
  ])
