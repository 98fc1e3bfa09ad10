import { themeParameter, viewParameter, pageTemplate } from '../../domain/events/page-facts.ts'
import type { Moment, Page } from '../../storefront/core.ts'
import { collections, findProduct } from '../catalogue/collections.ts'
import { findPage } from '../catalogue/pages.ts'

const types: Record<string, string> = {
  products: 'product',
  collections: 'collection',
  pages: 'page',
  cart: 'cart',
  search: 'search',
  '': 'index',
}

/**
 * A page with the facts that the shop would give the script: its template, its theme, what it is
 * about, and the buyer's country.
 */
export function pageOf(
  { liveTheme }: { liveTheme: string },
  theme: string,
  moment: Moment,
  country = 'US',
): Page {
  const { pathname, searchParams } = new URL(moment.url)
  const [, folder = '', handle = ''] = pathname.split('/')
  const type = types[folder] ?? folder
  const about =
    type === 'product'
      ? findProduct(handle)
      : type === 'page'
        ? findPage(handle)
        : collections.find(collection => type === 'collection' && collection.handle === handle)
  return {
    ...moment,
    canRedirect: () => true,
    facts: {
      theme: theme || liveTheme,
      template: pageTemplate(type, searchParams.get(viewParameter) ?? ''),
      resource: String(about?.id ?? ''),
      country,
    },
  }
}

/**
 * The theme that a browser shows after this address: the one that the address asks for, or the one
 * before.
 */
export const themeAt = (url: string, before: string): string =>
  new URL(url).searchParams.get(themeParameter) ?? before
