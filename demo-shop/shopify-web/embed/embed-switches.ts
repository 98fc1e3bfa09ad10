import { HttpProblem } from '../../../domain/problem.ts'
import type { Themes } from '../../themes/themes.ts'
import type { ShopifyApp } from '../shopify-app.ts'
import type { ThemeExtension } from './theme-extension.ts'

/** An embed in a theme's settings, as the theme editor writes it. */
type SettingsBlock = { type: string; disabled?: boolean; settings?: Record<string, unknown> }
type SettingsData = {
  current: { blocks?: Record<string, SettingsBlock> } & Record<string, unknown>
}

/** Which embeds of the app are switched on in a theme. They are off at first. */
export type EmbedSwitches = {
  isOn: (themeId: string, block: string) => boolean
  /** What the merchant has set for the block, where it differs from its defaults. */
  settingsOf: (themeId: string, block: string) => Record<string, unknown>
  /** Writes the theme's settings. Throws HttpProblem 404 for an unknown theme or block. */
  set: (themeId: string, block: string, isOn: boolean) => Promise<void>
}

const settingsFile = 'config/settings_data.json'

/** `extension`: what is deployed; null before anything was. */
export function openEmbedSwitches(
  themes: Themes,
  app: ShopifyApp,
  extension: () => ThemeExtension | null,
): EmbedSwitches {
  const read = new Map<string, { body: string; data: SettingsData }>()
  const dataOf = (themeId: string): SettingsData => {
    const body = themes.files(themeId, [settingsFile])[0]?.body ?? '{"current":{}}'
    const known = read.get(themeId)
    if (known?.body === body) return known.data
    const data = JSON.parse(body) as SettingsData
    read.set(themeId, { body, data })
    return data
  }
  const typeOf = (block: string): string =>
    `shopify://apps/${app.handle}/blocks/${block}/${extension()?.uid ?? ''}`
  const find = ({ current: { blocks = {} } }: SettingsData, block: string) =>
    Object.entries(blocks).find(([, { type }]) => type === typeOf(block))
  return {
    isOn: (themeId, block) => {
      const found = find(dataOf(themeId), block)
      return found !== undefined && found[1].disabled !== true
    },
    settingsOf: (themeId, block) => find(dataOf(themeId), block)?.[1].settings ?? {},
    set: async (themeId, block, isOn) => {
      themes.record(themeId)
      if (!extension()?.blocks.some(({ handle }) => handle === block))
        throw new HttpProblem(404, 'The app has no such embed.')
      const data = structuredClone(dataOf(themeId))
      const blocks = (data.current.blocks ??= {})
      const [id = String(Date.now()), found] = find(data, block) ?? []
      // The editor keeps a block that is switched off.
      blocks[id] = { type: typeOf(block), disabled: !isOn, settings: found?.settings ?? {} }
      await themes.write(themeId, [{ name: settingsFile, body: JSON.stringify(data, null, 2) }])
    },
  }
}
