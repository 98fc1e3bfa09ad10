import type { Platform } from '../platform/adapter.ts'
import type { ThemeFile } from '../platform/themes.ts'

/** Where two themes are most likely to differ first: the rest is only asked for while all of it is the same. */
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

/** Whether two themes have the same files: no visitor could tell one from the other. */
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
