import type { Database } from '../database.ts'

/** Named as in the platform's API; apps get these names in capitals. */
export type Status =
  | 'Pending'
  | 'Accepted'
  | 'Active'
  | 'Declined'
  | 'Expired'
  | 'Frozen'
  | 'Cancelled'
export type AppSubscription = {
  id: string
  planId: string
  title: string
  /** Whole dollars per period, before the discount. */
  price: number
  isAnnual: boolean
  trialDays: number
  discount: { kind: 'percentage' | 'fixed'; value: number } | null
  takesEffect: 'immediately' | 'nextCycle'
  /** A path of the app; on a platform that wants one, a whole address. */
  returnPath: string
  /** What a call gave besides, to answer it again. */
  given?: Record<string, unknown>
  status: Status
  createdAt: Date
  trialEndsAt: Date | null
  /**
   * End of the paid period, or of the trial while it lasts. null before the subscription is active.
   */
  periodEndsAt: Date | null
}
export type NewSubscription = Omit<
  AppSubscription,
  'id' | 'status' | 'createdAt' | 'trialEndsAt' | 'periodEndsAt'
>

type Row = {
  id: string
  request: string
  status: Status
  created_at: string
  trial_ends_at: string | null
  period_ends_at: string | null
}

export type SubscriptionRows = {
  /** Newest first. */
  all: () => AppSubscription[]
  byId: (id: string) => AppSubscription | null
  insert: (subscription: AppSubscription) => void
  update: (subscription: AppSubscription) => void
}

/** `table`: one of the code's own names. */
export function subscriptionRows(db: Database, table = 'app_subscriptions'): SubscriptionRows {
  db.exec(`
    create table if not exists ${table} (
      id text primary key, request text not null, status text not null, created_at text not null, trial_ends_at text, period_ends_at text) strict`)
  const all = db.prepare(`select * from ${table} order by created_at desc, rowid desc`)
  const byId = db.prepare(`select * from ${table} where id = ?`)
  const insert = db.prepare(
    `insert into ${table} (id, request, status, created_at, trial_ends_at, period_ends_at) values (?, ?, ?, ?, ?, ?)`,
  )
  const update = db.prepare(
    `update ${table} set status = ?, trial_ends_at = ?, period_ends_at = ? where id = ?`,
  )
  return {
    all: () => (all.all() as Row[]).map(fromRow),
    byId: id => {
      const row = byId.get(id) as Row | undefined
      return row ? fromRow(row) : null
    },
    insert: ({ id, status, createdAt, trialEndsAt, periodEndsAt, ...request }) =>
      void insert.run(
        id,
        JSON.stringify(request),
        status,
        createdAt.toISOString(),
        trialEndsAt?.toISOString() ?? null,
        periodEndsAt?.toISOString() ?? null,
      ),
    update: ({ id, status, trialEndsAt, periodEndsAt }) =>
      void update.run(
        status,
        trialEndsAt?.toISOString() ?? null,
        periodEndsAt?.toISOString() ?? null,
        id,
      ),
  }
}

const fromRow = (row: Row): AppSubscription => ({
  ...(JSON.parse(row.request) as NewSubscription),
  id: row.id,
  status: row.status,
  createdAt: new Date(row.created_at),
  trialEndsAt: row.trial_ends_at ? new Date(row.trial_ends_at) : null,
  periodEndsAt: row.period_ends_at ? new Date(row.period_ends_at) : null,
})

/** A subscription as apps get it, in webhooks and in the admin API. */
export const subscriptionJson = ({
  id,
  planId,
  title,
  status,
  createdAt,
  trialEndsAt,
  periodEndsAt,
}: AppSubscription) => ({
  id,
  plan_id: planId,
  name: title,
  status: status.toUpperCase(),
  created_at: createdAt.toISOString(),
  trial_ends_at: trialEndsAt?.toISOString() ?? null,
  current_period_ends_at: periodEndsAt?.toISOString() ?? null,
})
