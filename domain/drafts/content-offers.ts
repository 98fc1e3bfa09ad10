import { ownAddress } from '../stores/own-address.ts'
import type { SettingKind } from './section-schema.ts'
import type { TemplateContent } from '../themes/template-content.ts'

export type ContentOffer = { value: string; label: string }
/**
 * Kinds of setting that name a page of the shop, and the path where such pages begin. A link may
 * lead to any page.
 */
const folders: Partial<Record<SettingKind, string>> = {
  product: '/products/',
  collection: '/collections/',
  page: '/pages/',
  link: '/',
}

/**
 * The values that a setting of this kind can have, from the shop's pages, as a theme stores them: a
 * link by its path, the others by their handle.
 */
export function contentOffers(
  kind: SettingKind,
  pages: readonly { url: string; title: string }[],
): ContentOffer[] {
  const folder = folders[kind]
  if (!folder) return []
  return pages.flatMap(({ url, title }) => {
    const value = kind === 'link' ? url : url.slice(folder.length)
    return url.startsWith(folder) && value && (kind === 'link' || !value.includes('/'))
      ? [{ value, label: title }]
      : []
  })
}

/** The addresses of all pictures that the shop serves and either arm's template shows. */
export const contentPictures = (
  { sections }: Pick<TemplateContent, 'sections'>,
  origin: string,
): string[] => [
  ...new Set(
    sections
      .flatMap(section => [section, ...section.blocks])
      .flatMap(part => part.settings)
      .filter(each => each.kind === 'picture')
      .flatMap(each => [each.control, each.value])
      .filter(value => typeof value === 'string')
      .filter(value => shopPicture(value, origin)),
  ),
]

/** The full address of a picture that the shop itself serves; null for any other value. */
export function shopPicture(value: unknown, origin: string): string | null {
  if (typeof value !== 'string' || !/^(\/(?!\/)|https?:\/\/)\S+$/.test(value)) return null
  return ownAddress(value, origin)?.href ?? null
}
