import type { AssignedType } from '../../domain/themes/template.ts'

export type ThemeRecord = {
  id: string
  name: string
  role: 'live' | 'unpublished'
  createdAt: string
  updatedAt: string
}
export type ThemeFile = { name: string; body: string; updatedAt: string }
/** Something of the shop that has a page of its own and is assigned to a template of its type; suffix '' is the type's own. */
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
  /** Files of a theme by exact name, or all below a folder that ends in "/" ("templates/"). Those that are not there are left out. */
  themeFiles: (shop: string, themeId: string, names: string[]) => Promise<ThemeFile[]>
  /** All of them or none; throws HttpProblem 422 with the platform's words when a file is refused. */
  writeThemeFiles: (
    shop: string,
    themeId: string,
    files: { name: string; body: string }[],
  ) => Promise<void>
  /** A file that is not there is no error. */
  deleteThemeFiles: (shop: string, themeId: string, names: string[]) => Promise<void>
  publishTheme: (shop: string, themeId: string) => Promise<void>
  resources: (shop: string, type: AssignedType) => Promise<ShopResource[]>
  /** All of them or none. */
  assignTemplates: (
    shop: string,
    changes: { type: AssignedType; id: string; suffix: string }[],
  ) => Promise<void>
}
