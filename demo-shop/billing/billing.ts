import { randomUUID } from 'node:crypto'
import { HttpProblem } from '../../domain/problem.ts'
import { day } from '../../domain/time-units.ts'
import {
  subscriptionJson,
  subscriptionRows,
  type AppSubscription,
  type NewSubscription,
  type Status,
} from './billing-rows.ts'
import { inTransaction, type Database } from '../database.ts'
import type { Outbox } from '../apps/webhooks.ts'

/**
 * What the merchant pays the app: subscriptions that the app requests and the merchant approves.
 * Nothing is really charged.
 */
export type Billing = {
  create: (request: NewSubscription) => AppSubscription
  /** Newest first. */
  all: () => AppSubscription[]
  byId: (id: string) => AppSubscription | null
  approve: (id: string) => AppSubscription
  decline: (id: string) => AppSubscription
  cancel: (id: string) => AppSubscription
  /** Used while the shop's own bill is unpaid. */
  freeze: (id: string) => AppSubscription
  unfreeze: (id: string) => AppSubscription
  extendTrial: (id: string, days: number) => AppSubscription
  /** Must be called inside a transaction of the caller. */
  cancelAll: () => void
  /**
   * Does what happens by time alone: approvals expire, periods follow each other, and a
   * subscription that waited for the next period begins.
   */
  settle: () => void
}

/** A subscription that is not approved after this time expires. */
const approvalDays = 2
const periodOf = ({ isAnnual }: AppSubscription) => (isAnnual ? 365 : 30) * day

/** The plan that the shop comes with. */
const firstPlan: NewSubscription = {
  planId: 'advanced-100k-monthly',
  title: 'Advanced 100k',
  price: 199,
  isAnnual: false,
  trialDays: 0,
  discount: null,
  takesEffect: 'immediately',
  returnPath: '/',
}

export type BillingOptions = {
  db: Database
  outbox: Pick<Outbox, 'write' | 'wake'>
  clock: () => Date
  startsSubscribed: boolean
  /** For a second platform: its own table, and ids as it makes them. */
  table?: string
  newId?: () => string
}

export function openBilling({
  db,
  outbox,
  clock,
  startsSubscribed,
  table,
  newId = randomUUID,
}: BillingOptions): Billing {
  const rows = subscriptionRows(db, table)
  const fresh = (request: NewSubscription): AppSubscription => ({
    ...request,
    id: newId(),
    status: 'Pending',
    createdAt: clock(),
    trialEndsAt: null,
    periodEndsAt: null,
  })
  // The demo shop has a past: its merchant has already paid for some periods.
  if (startsSubscribed && rows.all().length === 0)
    rows.insert({
      ...begun(fresh(firstPlan), clock()),
      createdAt: new Date(clock().getTime() - 3 * 30 * day),
    })

  const write = (subscription: AppSubscription): AppSubscription => {
    rows.update(subscription)
    outbox.write(
      'app_subscriptions/update',
      { app_subscription: subscriptionJson(subscription) },
      clock(),
    )
    return subscription
  }
  const end = (subscription: AppSubscription, at: Date) =>
    write({
      ...subscription,
      status: 'Cancelled',
      periodEndsAt: subscription.periodEndsAt && earlier(subscription.periodEndsAt, at),
    })
  /** Starts a subscription. There is one at a time, so the one before ends. */
  const activate = (subscription: AppSubscription, at: Date): AppSubscription => {
    for (const other of rows.all())
      if (other.id !== subscription.id && isRunning(other)) end(other, at)
    return write(begun(subscription, at))
  }

  function settle(): void {
    const now = clock()
    for (const one of rows.all())
      if (one.status === 'Pending' && now.getTime() - one.createdAt.getTime() >= approvalDays * day)
        write({ ...one, status: 'Expired' })
    for (;;) {
      const active = rows.all().find(({ status }) => status === 'Active')
      const waiting = rows.all().find(({ status }) => status === 'Accepted')
      if (waiting && !rows.all().some(({ status }) => status === 'Active' || status === 'Frozen')) {
        activate(waiting, now)
        continue
      }
      if (!active?.periodEndsAt || active.periodEndsAt > now) return
      if (waiting) activate(waiting, active.periodEndsAt)
      // The next period is paid for; platforms send no webhook about that.
      else
        rows.update({
          ...active,
          periodEndsAt: new Date(active.periodEndsAt.getTime() + periodOf(active)),
        })
    }
  }

  /**
   * Changes one subscription if its state is one of `from`, in one transaction. Throws HttpProblem
   * 404 when there is none, 409 when its state is another.
   */
  function change(
    id: string,
    from: Status[],
    to: (subscription: AppSubscription) => AppSubscription,
  ): AppSubscription {
    const changed = inTransaction(db, () => {
      settle()
      const subscription = rows.byId(id)
      if (!subscription) return 'gone'
      return from.includes(subscription.status) ? to(subscription) : subscription.status
    })
    outbox.wake()
    if (changed === 'gone') throw new HttpProblem(404, 'There is no such subscription.')
    if (typeof changed === 'string')
      throw new HttpProblem(409, `The subscription is ${changed.toLowerCase()}.`)
    return changed
  }
  const settled = <T>(read: () => T): T => {
    const result = inTransaction(db, () => {
      settle()
      return read()
    })
    outbox.wake()
    return result
  }

  return {
    create: request => {
      const subscription = fresh(request)
      rows.insert(subscription)
      return subscription
    },
    all: () => settled(rows.all),
    byId: id => settled(() => rows.byId(id)),
    approve: id =>
      change(id, ['Pending'], one => {
        const isLater =
          one.takesEffect === 'nextCycle' && rows.all().some(({ status }) => status === 'Active')
        if (!isLater) return activate(one, clock())
        for (const other of rows.all()) if (other.status === 'Accepted') end(other, clock())
        return write({ ...one, status: 'Accepted' })
      }),
    decline: id => change(id, ['Pending'], one => write({ ...one, status: 'Declined' })),
    cancel: id => change(id, ['Active', 'Frozen', 'Accepted', 'Pending'], one => end(one, clock())),
    freeze: id => change(id, ['Active'], one => write({ ...one, status: 'Frozen' })),
    unfreeze: id => change(id, ['Frozen'], one => write({ ...one, status: 'Active' })),
    extendTrial: (id, days) =>
      change(id, ['Active'], one => {
        if (!one.trialEndsAt || one.trialEndsAt <= clock())
          throw new HttpProblem(409, 'The trial is over.')
        const trialEndsAt = new Date(one.trialEndsAt.getTime() + days * day)
        return write({ ...one, trialEndsAt, periodEndsAt: trialEndsAt })
      }),
    cancelAll: () => {
      for (const one of rows.all())
        if (isRunning(one) || one.status === 'Pending') end(one, clock())
    },
    settle: () => settled(() => undefined),
  }
}

const isRunning = ({ status }: AppSubscription): boolean =>
  status === 'Active' || status === 'Frozen' || status === 'Accepted'
const earlier = (a: Date, b: Date): Date => (a < b ? a : b)

function begun(subscription: AppSubscription, at: Date): AppSubscription {
  const trialEndsAt =
    subscription.trialDays > 0 ? new Date(at.getTime() + subscription.trialDays * day) : null
  return {
    ...subscription,
    status: 'Active',
    trialEndsAt,
    periodEndsAt: trialEndsAt ?? new Date(at.getTime() + periodOf(subscription)),
  }
}
