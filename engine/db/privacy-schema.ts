import type { ColumnType } from 'kysely'

/** Tables of migration 0034. */
export type PrivacySchema = { erasures: ErasuresTable }

/** What was erased of people, when and because of what; it names nobody. */
export type ErasuresTable = {
  store_id: string
  erasure_id: string
  kind: 'store' | 'shopper'
  asked_by: 'uninstall' | 'platform' | 'staff'
  asked_at: Date
  done_at: Date | null
  /** Rows by table. */
  counts: ColumnType<Record<string, number>, string | undefined, string>
}
