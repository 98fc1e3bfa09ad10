import type { ShopState } from '../shop-state.ts'
import type { SettingsStore } from './app/face-settings.ts'
import type { AppKeys } from './app/id-token.ts'
import type { ShopifyInstallation } from './app/installation.ts'
import type { Metafields } from './app/metafields.ts'

/** What the answers of the admin API are made of. */
export type FaceParts = {
  state: ShopState
  keys: AppKeys
  appHandle: string
  /** Where shoppers reach the shop, and where merchants reach its admin. */
  origin: string
  adminOrigin: string
  settings: SettingsStore
  installation: ShopifyInstallation
  metafields: Metafields
  /**
   * What a deployed function of this handle does; null for no such function, undefined while
   * nothing is known to be deployed.
   */
  functionTarget: (handle: string) => string | null | undefined
}
/** Answers of a part of the API: by the names of root fields. */
export type Answers = { query?: object; mutation?: object }
