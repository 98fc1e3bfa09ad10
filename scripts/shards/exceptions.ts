import type { Refused } from './shard-schema.ts'

/** Statements of a file (or folder) of the engine, or those whose text matches. */
type Exception = { from?: string; matches?: RegExp; reason: string }

const reasons = {
  staff: 'staff ask about all stores: the question goes to each shard, and the sums are added up',
  workers: 'a worker looks for what is due in any store: each shard has workers of its own',
  start: 'runs once at each start, or once a minute: on each shard',
  directory: 'finds a store by the name of its shop: a small table without a store holds the names',
  days: 'makes, fills or drops a day of events: on each shard',
  codes:
    'counts the stores that used a discount code: the table of codes, which has no store, counts',
} as const

/**
 * Statements that may touch several shards, each kind with its reason. A statement that is not here
 * and touches several shards is a mistake.
 */
const statements: readonly Exception[] = [
  { from: 'engine/staff/', reason: reasons.staff },
  { from: 'engine/operators/metrics', reason: reasons.staff },
  { from: 'engine/operators/', reason: reasons.start },
  { from: 'engine/session/reseal.ts', reason: reasons.start },
  { from: 'engine/plans/lead-mail.ts', reason: reasons.start },
  { from: 'engine/stores/shoppers/retention.ts', reason: reasons.start },
  { from: 'engine/events/network-days.ts', reason: reasons.start },
  { from: 'engine/events/networks/network-days.ts', reason: reasons.start },
  { from: 'engine/orders/order-pixels.ts', matches: /^delete from order_pixels where received_at/, reason: reasons.start }, // prettier-ignore
  { from: 'engine/jobs/queue.ts', matches: /leased_until|"due"/, reason: reasons.workers },
  { from: 'engine/script/script-publisher.ts', matches: /"wanted"/, reason: reasons.workers },
  { from: 'engine/reports/rollup.ts', reason: reasons.workers },
  { from: 'engine/reports/page-days.ts', matches: /"status" = /, reason: reasons.workers },
  { from: 'engine/google/google-sender.ts', matches: /next_attempt_at/, reason: reasons.workers },
  { from: 'engine/events/rebuild.ts', matches: /rebuilds_due/, reason: reasons.workers },
  { from: 'engine/events/event-days.ts', reason: reasons.days },
  { from: 'engine/plans/discounts.ts', matches: /discount_code = \$1/, reason: reasons.codes },
  { matches: /\b"?shop"? = \$\d/, reason: reasons.directory },
  { from: 'engine/stores/', matches: /^insert into "stores"/, reason: reasons.directory },
]

/** Rules that need a table of their own beside the shards. */
const rules: Record<string, string> = { stores_shop_key: reasons.directory }

/** The reason why a statement may touch several shards; null without one. */
export const exceptionOf = (from: string, text: string): string | null =>
  statements.find(
    each => from.startsWith(each.from ?? '') && (each.matches?.test(text.trim()) ?? true),
  )?.reason ?? null

/** The reason why a rule of the schema cannot hold within a shard; null without one. */
export const refusalOf = ({ rule }: Refused): string | null => rules[rule] ?? null
