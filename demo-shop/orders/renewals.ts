import { setImmediate } from 'node:timers/promises'
import { day as dayLength } from '../../domain/time-units.ts'
import { inTransaction, type Database } from '../database.ts'
import type { NewOrder, Order, OrderLine } from './order.ts'
import { sellingPlan } from './selling-plans.ts'

/** A subscription begins with an order; the shop then makes its renewals automatically. */
export type Renewals = {
  /**
   * Begins a subscription for each plan in the order. Must be called in the transaction that places
   * the order.
   */
  begin: (order: Order) => void
  /**
   * Makes every renewal that is due by `now`, dated when it fell due, and lets requests have a turn
   * now and then. Returns how many.
   */
  makeDue: (now: Date) => Promise<number>
}
type Row = {
  id: number
  order_id: string
  every_days: number
  lines: string
  made: number
  next_at: string
}

/**
 * A subscription ends after this many renewals, so that what strangers begin here does not continue
 * forever.
 */
export const maxRenewals = 24
/** How many renewals are made before requests get a turn. */
const atOnce = 20

export function renewalsOf(
  db: Database,
  add: (order: NewOrder) => Order | null,
  byId: (id: string) => Order | null,
): Renewals {
  const insert = db.prepare(
    'insert into subscriptions (order_id, plan_id, every_days, lines, next_at) values (?, ?, ?, ?, ?)',
  )
  const due = db.prepare(
    'select id, order_id, every_days, lines, made, next_at from subscriptions where next_at <= ? order by next_at, id limit 1',
  )
  const end = db.prepare('delete from subscriptions where id = ?')
  const advance = db.prepare('update subscriptions set made = made + 1, next_at = ? where id = ?')

  /**
   * Each renewal has its own transaction, so that a killed process leaves none half made and makes
   * none twice.
   */
  const makeOne = (now: Date): boolean =>
    inTransaction(db, () => {
      const row = due.get(now.toISOString()) as Row | undefined
      if (!row) return false
      const first = byId(row.order_id)!
      // The price and currency of the first order stay. There are no attributes, because no visit
      // led to this order.
      add({
        cartToken: `renewal ${row.id} ${row.made + 1}`,
        createdAt: new Date(row.next_at),
        isTest: first.isTest,
        isExpress: false,
        type: 'renewal',
        renews: first.id,
        customer: first.customer,
        presentment: first.presentment,
        lines: JSON.parse(row.lines) as OrderLine[],
        attributes: {},
        note: '',
      })
      if (row.made + 1 >= maxRenewals) end.run(row.id)
      else advance.run(later(row.next_at, row.every_days), row.id)
      return true
    })

  return {
    begin: ({ id, createdAt, lines }) => {
      for (const [planId, own] of Map.groupBy(lines, line => line.selling_plan?.id)) {
        const plan = planId === undefined ? undefined : sellingPlan(planId)
        if (plan)
          insert.run(
            id,
            plan.id,
            plan.everyDays,
            JSON.stringify(own),
            later(createdAt, plan.everyDays),
          )
      }
    },
    makeDue: async now => {
      let made = 0
      while (makeOne(now)) if (++made % atOnce === 0) await setImmediate()
      return made
    },
  }
}

const later = (instant: string, days: number): string =>
  new Date(Date.parse(instant) + days * dayLength).toISOString()
