import type { Platform } from '../platform/adapter.ts'
import type { ThemeFile } from '../platform/themes.ts'

/**
 * In this order: the folders in which themes are most likely to differ come first. The next folder
 * is read only if all before it are equal.
 */
const themeFolders = [
  'templates/',
  'config/',
  'sections/',
  'layout/',
  'snippets/',
  'blocks/',
  'assets/',
  'locales/',
]

/** Whether two themes have the same files, so that no visitor could tell one from the other. */
export async function themesAlike(
  platform: Platform,
  shop: string,
  ids: readonly [string, string],
): Promise<boolean> {
  for (const folder of themeFolders) {
    const [control, variant] = await Promise.all(
      ids.map(id => platform.themeFiles(shop, id, [folder])),
    )
    if (!filesAlike(control!, variant!)) return false
  }
  return true
}

function filesAlike(control: readonly ThemeFile[], variant: readonly ThemeFile[]): boolean {
  const bodies = new Map(control.map(({ name, body }) => [name, body]))
  return (
    control.length === variant.length &&
    variant.every(({ name, body }) => bodies.get(name) === body)
  )
}
