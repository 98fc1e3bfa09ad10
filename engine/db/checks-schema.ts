import type { LaunchCheck } from '../../domain/tests/launch-check.ts'
import type { Json } from './schema.ts'

/** Tables of migration 0013. */
export type ChecksSchema = { launch_checks: LaunchChecksTable }

/** What a browser found when it checked a draft. One row per draft, the last check. */
export type LaunchChecksTable = {
  store_id: string
  draft_id: string
  /** Hash of the parts of the draft that were checked. */
  content: string
  checks: Json<LaunchCheck[]>
  checked_at: Date
}
