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

/** Themes, their files, and what is assigned to which template. */
export type PlatformThemes = {
  themes: (shop: string) => Promise<ThemeRecord[]>
  /**
   * Files of a theme by exact name, or all below a folder that ends in "/" ("templates/"). Files
   * that do not exist are left out.
   */
  themeFiles: (shop: string, themeId: string, names: string[]) => Promise<ThemeFile[]>
  /**
   * Writes all files or none. Throws HttpProblem 422 with the platform's words when it refuses a
   * file.
   */
  writeThemeFiles: (
    shop: string,
    themeId: string,
    files: { name: string; body: string }[],
  ) => Promise<void>
  /** A file that does not exist is no error. */
  deleteThemeFiles: (shop: string, themeId: string, names: string[]) => Promise<void>
  publishTheme: (shop: string, themeId: string) => Promise<void>
  resources: (shop: string, type: AssignedType) => Promise<ShopResource[]>
  /** Assigns all or none. */
  assignTemplates: (
    shop: string,
    changes: { type: AssignedType; id: string; suffix: string }[],
  ) => Promise<void>
}
