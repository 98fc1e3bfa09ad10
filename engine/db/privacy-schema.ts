import type { ColumnType } from 'kysely'
import type { ShopperExport } from '../../domain/stores/shoppers/shopper.ts'
import type { Json } from './schema.ts'

/** Tables of migrations 0034 and 0035. */
export type PrivacySchema = { erasures: ErasuresTable; shopper_exports: ShopperExportsTable }

/** Answers to the platform's data requests. */
export type ShopperExportsTable = {
  store_id: string
  export_id: string
  asked_at: Date
  body: Json<ShopperExport>
}

/** Log of erasures of personal data: what, when and why. It names no person. */
export type ErasuresTable = {
  store_id: string
  erasure_id: string
  kind: 'store' | 'shopper'
  asked_by: 'uninstall' | 'platform' | 'staff'
  asked_at: Date
  done_at: Date | null
  /** Number of erased rows by table. */
  counts: ColumnType<Record<string, number>, string | undefined, string>
}
