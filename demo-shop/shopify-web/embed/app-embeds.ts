import { Liquid, type Template } from 'liquidjs'
import type { ExtensionState } from '../admin-frame.ts'
import { inScript, liquidApp, liquidPage, type AppField, type EmbedPage } from './embed-page.ts'
import type { EmbedSwitches } from './embed-switches.ts'
import type { EmbedBlock, EmbedTarget, ThemeExtension } from './theme-extension.ts'

export type AppEmbeds = {
  /** What the embeds that are on in the page's theme put into its head and its body. */
  draw: (page: EmbedPage) => Record<EmbedTarget, string>
  /** What App Bridge tells the app about the extension in the live theme. */
  states: (liveThemeId: string) => ExtensionState[]
}

/** Where pages load an extension's files. */
export const assetFolder = '/cdn/extensions'

/** Draws the app's embeds as the platform does: with Liquid of its own and the app's fields. */
export function openAppEmbeds({
  extension,
  switches,
  fields,
  isInstalled,
}: {
  extension: () => ThemeExtension | null
  switches: EmbedSwitches
  /** What the app keeps with its installation. */
  fields: () => readonly AppField[]
  isInstalled: () => boolean
}): AppEmbeds {
  const parsed = new WeakMap<EmbedBlock, { liquid: Liquid; templates: Template[] }>()
  const compiled = (deployed: ThemeExtension, block: EmbedBlock) => {
    const known = parsed.get(block)
    if (known) return known
    const liquid = new Liquid({ strictFilters: true, cache: true })
    // As on the platform, JSON may be pasted into a script.
    liquid.registerFilter('json', inScript)
    liquid.registerFilter('asset_url', (file: string) => {
      const asset = deployed.assets.get(file)
      return `${assetFolder}/${deployed.uid}/${encodeURIComponent(file)}${asset ? `?v=${asset.version}` : ''}`
    })
    liquid.registerFilter(
      'script_tag',
      (url: string) => `<script src="${url}" type="text/javascript"></script>`,
    )
    const made = { liquid, templates: liquid.parse(block.liquid) }
    parsed.set(block, made)
    return made
  }
  return {
    draw: page => {
      const drawn = { head: '', body: '' }
      const deployed = extension()
      if (!deployed || !isInstalled()) return drawn
      const objects = { ...liquidPage(page), app: liquidApp(fields()) }
      for (const block of deployed.blocks) {
        if (!switches.isOn(page.theme.id, block.handle)) continue
        const { liquid, templates } = compiled(deployed, block)
        const settings = { ...block.settings, ...switches.settingsOf(page.theme.id, block.handle) }
        drawn[block.target] += liquid.renderSync(templates, {
          ...objects,
          block: { id: block.handle, type: block.handle, settings, shopify_attributes: '' },
        }) as string
      }
      return drawn
    },
    states: liveThemeId => {
      const deployed = extension()
      if (!deployed) return []
      return [
        {
          handle: deployed.handle,
          type: 'theme_app_extension',
          activations: deployed.blocks.map(({ handle, name, target }) => {
            const isOn = switches.isOn(liveThemeId, handle)
            return {
              target,
              handle,
              name,
              status: isOn ? 'active' : 'available',
              activations: isOn
                ? [{ target, themeId: `gid://shopify/OnlineStoreTheme/${liveThemeId}` }]
                : [],
            }
          }),
        },
      ]
    },
  }
}

/** A page's HTML with what embeds put into it: at the end of its head and of its body. */
export function withEmbeds(html: string, { head, body }: Record<EmbedTarget, string>): string {
  const put = (page: string, end: string, more: string): string => {
    const at = more === '' ? -1 : page.lastIndexOf(end)
    return at < 0 ? page : page.slice(0, at) + more + page.slice(at)
  }
  return put(put(html, '</body>', body), '</head>', head)
}
