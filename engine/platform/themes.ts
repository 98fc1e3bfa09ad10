import type { AssignedType } from '../../domain/themes/template.ts'

export type ThemeRecord = {
  id: string
  name: string
  role: 'live' | 'unpublished'
  createdAt: string
  updatedAt: string
}
export type ThemeFile = { name: string; body: string; updatedAt: string }
/**
 * Something in the shop that has its own page and is assigned to a template of its type. Suffix ''
 * is the type's own template.
 */
export type ShopResource = {
  type: AssignedType
  id: string
  handle: string
  title: string
  path: string
  suffix: string
}

/**
 * Which resources of a type: all, or only those that match everything given. `ids` at most 250,
 * `paths` at most 100, `suffix`: assigned to this template, `query`: words in title or handle.
 */
export type ResourceAsk = {
  ids?: readonly string[]
  paths?: readonly string[]
  suffix?: string
  query?: string
  /** The `endCursor` of the page before. */
  cursor?: string | null
  /** 1 to 250; 250 when left out. */
  pageSize?: number
}
/** Resources in an order that does not change. `total`: how many match in all. */
export type ResourcePage = {
  items: ShopResource[]
  endCursor: string | null
  hasNext: boolean
  total: number
}
/** A template in use. `titles`: of the first five resources that use it. */
export type TemplateUse = { suffix: string; count: number; titles: string[] }

/** Themes, their files, and what is assigned to which template. */
export type PlatformThemes = {
  themes: (shop: string) => Promise<ThemeRecord[]>
  /**
   * Where the merchant sees a theme in the shop's admin, or a file of it; without a theme, all
   * themes.
   */
  themePage: (shop: string, at: { themeId?: string; file?: string }) => Promise<string>
  /**
   * Files of a theme by exact name, or all below a folder that ends in "/" ("templates/"). Files
   * that do not exist are left out.
   */
  themeFiles: (shop: string, themeId: string, names: string[]) => Promise<ThemeFile[]>
  /**
   * Writes at most 50 files, all or none. Throws HttpProblem 422 with the platform's words when it
   * refuses a file. A platform without `wholeWrites` may write a part: then it throws PartialWrite,
   * here and in `deleteThemeFiles` and `assignTemplates`.
   */
  writeThemeFiles: (
    shop: string,
    themeId: string,
    files: { name: string; body: string }[],
  ) => Promise<void>
  /** A file that does not exist is no error. */
  deleteThemeFiles: (shop: string, themeId: string, names: string[]) => Promise<void>
  publishTheme: (shop: string, themeId: string) => Promise<void>
  /**
   * One page of the shop's resources. A platform that cannot select by template or path answers
   * from an index of its own, because a shop has up to 50,000 products (decision 079).
   */
  resourcePage: (shop: string, type: AssignedType, ask: ResourceAsk) => Promise<ResourcePage>
  /** How many resources of a type use each template. */
  templateUses: (shop: string, type: AssignedType) => Promise<TemplateUse[]>
  /** Assigns at most 250, all or none. */
  assignTemplates: (
    shop: string,
    changes: { type: AssignedType; id: string; suffix: string }[],
  ) => Promise<void>
}
