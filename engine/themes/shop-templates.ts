import { assignedTypes } from '../../domain/themes/template.ts'
import type { Platform } from '../platform/adapter.ts'
import { resourcePages } from '../platform/resources.ts'

/** "product", "product.story": a template's type and suffix in one word. */
export const templateName = (type: string, suffix: string): string =>
  suffix ? `${type}.${suffix}` : type

/**
 * Which template draws each page of the shop, by path: those assigned to one, and home, cart and
 * search.
 */
export async function templateMap(platform: Platform, shop: string): Promise<Map<string, string>> {
  const map = new Map<string, string>()
  for (const type of assignedTypes)
    for await (const page of resourcePages(platform, shop, type))
      for (const { path, suffix } of page) map.set(plainPath(path), templateName(type, suffix))
  for (const { path, kind } of await platform.searchPages(shop, ''))
    if (kind === 'home' || kind === 'cart' || kind === 'search') map.set(plainPath(path), kind)
  return map
}

/** A path as page_days stores it: without query and closing slash, in lower case. */
export const plainPath = (path: string): string =>
  path
    .replace(/[?#].*/, '')
    .replace(/\/+$/, '')
    .toLowerCase() || '/'
