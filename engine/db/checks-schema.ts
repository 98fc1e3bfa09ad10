import type { LaunchCheck } from '../../domain/tests/launch-check.ts'
import type { Json } from './schema.ts'

/** Tables of migration 0013. */
export type ChecksSchema = { launch_checks: LaunchChecksTable }

/** What a browser found of a draft; one per draft, the last. */
export type LaunchChecksTable = {
  store_id: string
  draft_id: string
  /** Hash of what of the draft was looked at. */
  content: string
  checks: Json<LaunchCheck[]>
  checked_at: Date
}
