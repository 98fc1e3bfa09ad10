import { ownAddress } from '../stores/own-address.ts'
import type { SettingKind } from './section-schema.ts'
import type { TemplateContent } from '../themes/template-content.ts'

export type ContentOffer = { value: string; label: string }
/** Kinds that are one thing of the shop, and where its pages are. A link may lead to any page. */
const folders: Partial<Record<SettingKind, string>> = {
  product: '/products/',
  collection: '/collections/',
  page: '/pages/',
  link: '/',
}

/** What of the shop a setting of this kind may be, as a theme stores it: a link by its path, the others by their handle. */
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

/** Every picture of the shop that either arm of a template shows. */
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

/** The address of a picture that the shop itself serves; null for any other text. */
export function shopPicture(value: unknown, origin: string): string | null {
  if (typeof value !== 'string' || !/^(\/(?!\/)|https?:\/\/)\S+$/.test(value)) return null
  return ownAddress(value, origin)?.href ?? null
}
