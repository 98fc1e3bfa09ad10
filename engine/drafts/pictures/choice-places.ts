import { type Choice, choiceOf } from '../../../domain/drafts/pictures/choice-picture.ts'
import { ownAddress } from '../../../domain/stores/own-address.ts'
import { themeParameter, viewParameter } from '../../../domain/events/page-facts.ts'
import { previewParameter } from '../../../domain/script/script-config.ts'
import type { AssignedType } from '../../../domain/themes/template.ts'
import { isAssignedType, ownPaths } from '../../themes/live-templates.ts'
import type { Platform } from '../../platform/adapter.ts'
import type { ShopResource } from '../../platform/themes.ts'
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
  const types = new Set(
    choices.flatMap(({ choice }) =>
      choice.kind !== 'theme' && isAssignedType(choice.type) ? [choice.type] : [],
    ),
  )
  const resources = new Map<AssignedType, ShopResource[]>()
  for (const type of types) resources.set(type, await platform.resources(shop, type))

  function pathOf(choice: Choice): string | null {
    if (choice.kind === 'theme') {
      const theme = themes.find(({ id }) => id === choice.id)
      if (!theme) return null
      return theme.role === 'live' ? '/' : `/?${themeParameter}=${encodeURIComponent(theme.id)}`
    }
    const view =
      choice.kind !== 'page' && choice.suffix
        ? `?${viewParameter}=${encodeURIComponent(choice.suffix)}`
        : ''
    if (!isAssignedType(choice.type)) return `${ownPaths[choice.type]![0]!}${view}`
    const all = resources.get(choice.type)!
    if (choice.kind !== 'template') {
      const page = all.find(({ id }) => id === choice.id)
      return page ? page.path + view : null
    }
    const shown = all.find(({ suffix }) => suffix === choice.suffix)
    if (shown) return shown.path
    // No page uses this template, but the shop can show any page of the type with it.
    return choice.suffix && all[0] ? `${all[0].path}${view}` : null
  }

  return new Map(
    choices.flatMap(({ name, choice }): [string, string][] => {
      const path = pathOf(choice)
      const url = path === null ? null : ownAddress(path, origin)
      if (!url) return []
      url.searchParams.set(previewParameter, 'none')
      return [[name, url.href]]
    }),
  )
}
