import { HttpProblem } from '../../../../domain/problem.ts'
import { embedFields, embedKeys, embedNamespace } from '../../../../domain/script/embed-fields.ts'
import type { ScriptState } from '../../../../domain/script/script-state.ts'
import type { Platform } from '../../adapter.ts'
import type { ShopifyClient } from '../client/shopify-client.ts'
import { themeFiles, themes } from '../documents/themes.ts'
import { shopifyFields } from '../client/fields.ts'
import type { PlatformAddresses } from '../../addresses.ts'
import { gid, idOf } from '../client/shopify-ids.ts'
import { marketRoundings, readMarkets } from '../prices/price-markets.ts'

/** Key of the field with the hash of the script that the others hold. */
const etagKey = 'etag'
/** The block of our theme app extension that draws the script: `shopify/extensions/`. */
const block = 'twinshelf'
const settingsFile = 'config/settings_data.json'

/**
 * The script of a Shopify shop. Its files are in our theme app extension, which Shopify delivers;
 * we write only the configuration, into fields that the extension's Liquid reads. Shopify draws the
 * extension while its switch in the theme's settings is on.
 */
export function shopifyScript(
  client: ShopifyClient,
  { apiKey, appHandle }: { apiKey: string; appHandle: string },
  { adminUrl }: Pick<PlatformAddresses, 'adminUrl'>,
): Pick<Platform, 'publishScript' | 'scriptState' | 'scriptFinding'> & {
  removeFields: (shop: string) => Promise<void>
} {
  const { ask } = client,
    fields = shopifyFields(client)
  const named = (ownerId: string, keys: readonly string[]) =>
    keys.map(key => ({ ownerId, namespace: embedNamespace, key }))

  /** The settings of a theme, by default of the live one. */
  async function settingsOf(shop: string, themeId: string | undefined) {
    let id = themeId
    if (id === undefined) {
      const all = (await ask(shop, themes, { after: null })).themes?.nodes ?? []
      id = idOf(all.find(({ role }) => role === 'MAIN')?.id ?? '')
    }
    const { theme } = await ask(shop, themeFiles, {
      id: gid('OnlineStoreTheme', id),
      filenames: [settingsFile],
      after: null,
    })
    if (!theme) throw new HttpProblem(404, 'There is no such theme in the shop any more.')
    const body = theme.files?.nodes[0]?.body
    const text = body?.__typename === 'OnlineStoreThemeFileBodyText' ? body.content : ''
    return { id, settings: settingsIn(text) }
  }

  return {
    publishScript: async (shop, _, { config, etag }) => {
      // Pages do not say how a market rounds, so those with tested prices get it from us.
      const hasPrices = config.tests.some(({ prices }) => prices)
      const made = embedFields(
        config,
        hasPrices ? { markets: marketRoundings((await readMarkets(client, shop)).markets) } : {},
      )
      if (made.problem !== undefined) throw new HttpProblem(422, made.problem)
      const { ownerId, held } = await fields.ofInstallation(shop, embedNamespace)
      const own = { ownerId, namespace: embedNamespace }
      // One operation, which is made wholly or not at all: a page never sees half of it.
      await fields.set(shop, [
        ...made.fields.map(field => ({ ...own, ...field })),
        { ...own, key: etagKey, value: JSON.stringify(etag) },
      ])
      const unused = embedKeys.filter(
        key => held.has(key) && !made.fields.some(field => field.key === key),
      )
      await fields.remove(shop, named(ownerId, unused))
      return { url: `https://${shop}/` }
    },
    scriptFinding: async (shop, { etag }) => {
      try {
        const { held } = await fields.ofInstallation(shop, embedNamespace)
        const said = held.get(etagKey)
        if (said === undefined) return 'missing'
        return said === JSON.stringify(etag) ? 'answers' : 'differs'
      } catch {
        return 'unreachable'
      }
    },
    scriptState: async (shop, themeId): Promise<ScriptState> => {
      const { id, settings } = await settingsOf(shop, themeId)
      const query = new URLSearchParams({
        context: 'apps',
        activateAppId: `${apiKey}/${block}`,
      })
      return {
        state: isSwitchedOn(settings, appHandle) ? 'on' : 'off',
        switchAt: `${adminUrl(shop, 'themes')}/${encodeURIComponent(id)}/editor?${query}`,
      }
    },
    removeFields: async shop => {
      const { ownerId, held } = await fields.ofInstallation(shop, embedNamespace)
      const ours = [...embedKeys, etagKey].filter(key => held.has(key))
      await fields.remove(shop, named(ownerId, ours))
    },
  }
}

/**
 * What a theme's settings hold at present. Shopify writes a comment before the JSON. `current` is
 * the name of a preset where a merchant has never saved the settings: then no app is switched on.
 */
export function settingsIn(text: string): Record<string, unknown> {
  try {
    const { current } = JSON.parse(text.replace(/^\s*\/\*[\s\S]*?\*\//, '')) as {
      current?: unknown
    }
    return typeof current === 'object' && current !== null
      ? (current as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}

/** Whether our block is among the theme's app embeds and not disabled. */
function isSwitchedOn({ blocks }: Record<string, unknown>, appHandle: string): boolean {
  if (typeof blocks !== 'object' || blocks === null) return false
  const own = `shopify://apps/${appHandle}/blocks/${block}/`
  return Object.values(blocks).some(one => {
    const { type, disabled } = (one ?? {}) as { type?: unknown; disabled?: unknown }
    return typeof type === 'string' && type.startsWith(own) && disabled !== true
  })
}
