import type { ColumnType, Generated } from 'kysely'
import type { Capabilities } from '../../domain/platform/capabilities.ts'
import type { Reconciled } from '../../domain/platform/reconciled.ts'
import type { LaunchCheck } from '../../domain/tests/launch-check.ts'
import type { Json } from './schema.ts'

/** Tables of migrations 0013 and 0054. */
export type ChecksSchema = {
  launch_checks: LaunchChecksTable
  reconciliations: ReconciliationsTable
}

/** What the nightly comparison with the platform found. One row per store. */
export type ReconciliationsTable = {
  store_id: string
  /** The end of the last run that was finished. */
  ran_at: Generated<Date | null>
  /** Changes of orders before this were read. */
  read_until: Generated<Date | null>
  /** Since when the platform refuses us; null when it does not. */
  refused_at: Generated<Date | null>
  /** What the platform said last. */
  capabilities: ColumnType<Capabilities | null, string | undefined, string>
  /** What the last run found, and what all runs found. */
  found: ColumnType<Reconciled, string | undefined, string>
  total: ColumnType<Reconciled, string | undefined, string>
}

/** What a browser found when it checked a draft. One row per draft, the last check. */
export type LaunchChecksTable = {
  store_id: string
  draft_id: string
  /** Hash of the parts of the draft that were checked. */
  content: string
  checks: Json<LaunchCheck[]>
  checked_at: Date
}
