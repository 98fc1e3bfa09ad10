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

/** One row per store. */
export type BrandStylesTable = {
  store_id: string
  brand_style_id: string
  style: Json<Omit<BrandStyle, 'id' | 'updatedAt'>>
  /** Fonts that the merchant could choose from when the style was saved. */
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

/** `version`: the version that was requested last. */
export type ChoicePicturesTable = {
  store_id: string
  choice: string
  version: string
  /** JPEG of `drawn_version`, taken at `taken_at`. */
  image: Uint8Array | null
  taken_at: Date | null
  drawn_version: string | null
  /** Why the last attempt, at `tried_at`, made no picture. */
  problem: string | null
  tried_at: Date | null
  is_waiting: boolean
  asked_at: Date
}

/**
 * What visitors did on the shop's pages in one day, without bots. `scope` says what `name` is: a
 * page's path, a template ("product", "product.story"), the whole shop (''), or a step towards an
 * order. For steps, only `visitors` is counted.
 */
export type PageDaysTable = {
  store_id: string
  day: string
  scope: 'path' | 'template' | 'shop' | 'step'
  name: string
  views: number
  /** Number of different visitors that day. */
  visitors: number
  /** Visits that began here, that saw only this page, and that ended here, within the day. */
  entries: number
  bounces: number
  exits: number
  /** Number of different visitors who added to the cart here. */
  adders: number
}

/** The days that page_days contains. */
export type PageDaysBuiltTable = {
  store_id: string
  day: string
  /**
   * The shop's visitors of that day when it was counted. When there are more by now, the day is
   * counted again.
   */
  visitors: number
  /**
   * Number of different visitors in the 28 days up to and including this one. Only counted for the
   * latest full day.
   */
  month_visitors: number | null
  /** True when no late event can arrive any more. */
  is_final: boolean
  built_at: Date
}
