import { type Choice, choiceOf } from '../../../domain/drafts/pictures/choice-picture.ts'
import { ownAddress } from '../../../domain/stores/own-address.ts'
import { viewParameter } from '../../../domain/events/page-facts.ts'
import { previewParameter } from '../../../domain/script/script-config.ts'
import type { AssignedType } from '../../../domain/themes/template.ts'
import { isAssignedType, ownPaths } from '../../themes/live-templates.ts'
import type { Platform } from '../../platform/adapter.ts'
import type { ResourceAsk } from '../../platform/themes.ts'
import type { ShopHosts } from '../redirect-urls.ts'

/**
 * Addresses of the shop's pages that show the choices, by the choices' names. A choice that no page
 * shows has no address. Each address carries the preview parameter with the value `none`. Our
 * script then shows no test on the page, so that no running test changes the picture.
 */
export async function placesOf(
  platform: Platform,
  { shop, origin }: ShopHosts,
  names: readonly string[],
): Promise<Map<string, string>> {
  const choices = names.flatMap(name => {
    const choice = choiceOf(name)
    return choice ? [{ name, choice }] : []
  })
  const themes = choices.some(({ choice }) => choice.kind === 'theme')
    ? await platform.themes(shop)
    : []

  async function pathOf(choice: Choice): Promise<string | null> {
    if (choice.kind === 'theme') {
      const theme = themes.find(({ id }) => id === choice.id)
      if (!theme) return null
      return theme.role === 'live' ? '/' : platform.themePreviewPath(shop, theme.id)
    }
    const view =
      choice.kind !== 'page' && choice.suffix
        ? `?${viewParameter}=${encodeURIComponent(choice.suffix)}`
        : ''
    if (!isAssignedType(choice.type)) return `${ownPaths[choice.type]![0]!}${view}`
    const first = async (ask: ResourceAsk) =>
      (await platform.resourcePage(shop, choice.type as AssignedType, { ...ask, pageSize: 1 }))
        .items[0]
    if (choice.kind !== 'template') {
      const page = await first({ ids: [choice.id] })
      return page ? page.path + view : null
    }
    const shown = await first({ suffix: choice.suffix })
    if (shown) return shown.path
    // No page uses this template, but the shop can show any page of the type with it.
    const any = choice.suffix ? await first({}) : undefined
    return any ? `${any.path}${view}` : null
  }

  const places = new Map<string, string>()
  for (const { name, choice } of choices) {
    const path = await pathOf(choice)
    const url = path === null ? null : ownAddress(path, origin)
    if (!url) continue
    url.searchParams.set(previewParameter, 'none')
    places.set(name, url.href)
  }
  return places
}
