import type { BrandStyle, FontEntry } from '../../domain/brand/brand-style.ts'
import type { ScreenshotDevice } from '../../domain/drafts/pictures/screenshot.ts'
import type { Json } from './schema.ts'

/** Tables of migrations 0009 and 0028. */
export type BrandSchema = {
  brand_styles: BrandStylesTable
  screenshots: ScreenshotsTable
  choice_pictures: ChoicePicturesTable
  page_days: PageDaysTable
  page_days_built: PageDaysBuiltTable
}

/** One per store. */
export type BrandStylesTable = {
  store_id: string
  brand_style_id: string
  style: Json<Omit<BrandStyle, 'id' | 'updatedAt'>>
  /** Fonts that could be chosen from when it was kept. */
  fonts: Json<FontEntry[]>
  updated_at: Date
}

export type ScreenshotsTable = {
  store_id: string
  hypothesis_id: string
  device: ScreenshotDevice
  /** JPEG. */
  image: Uint8Array
  taken_at: Date
}

/** `version`: as it was last asked for. */
export type ChoicePicturesTable = {
  store_id: string
  choice: string
  version: string
  /** JPEG, of `drawn_version` at `taken_at`. */
  image: Uint8Array | null
  taken_at: Date | null
  drawn_version: string | null
  /** Why the last attempt, at `tried_at`, made none. */
  problem: string | null
  tried_at: Date | null
  is_waiting: boolean
  asked_at: Date
}

/**
 * What visitors did on the shop's pages in one day, bots left out. `scope` says what `name` is: a page's path, a
 * template ("product", "product.story"), the shop as a whole (''), or a step towards an order, of which there are visitors alone.
 */
export type PageDaysTable = {
  store_id: string
  day: string
  scope: 'path' | 'template' | 'shop' | 'step'
  name: string
  views: number
  /** Different visitors that day. */
  visitors: number
  /** Visits that began, were only, and ended here, as seen within the day. */
  entries: number
  bounces: number
  exits: number
  /** Different visitors who added to the cart here. */
  adders: number
}

/** Which days stand in page_days. */
export type PageDaysBuiltTable = {
  store_id: string
  day: string
  /** Visitors the shop had that day by then: when there are more, the day is counted again. */
  visitors: number
  /** Different visitors of the 28 days that end with this one; counted for the latest full day alone. */
  month_visitors: number | null
  /** No late event can come any more. */
  is_final: boolean
  built_at: Date
}
