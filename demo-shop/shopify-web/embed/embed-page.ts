import { minorDigits } from '../../../domain/money.ts'
import type { PricedCart } from '../../orders/carts.ts'
import type { Currency } from '../../pages/currencies.ts'
import type { PageData } from '../../themes/theme.ts'
import { shop } from '../../shop.ts'
import { shopifyShop } from '../../shopify/shop-names.ts'

/** What the platform puts into a page: first into its head, and at the ends of head and body. */
export type PlatformPage = { header: string; head: string; body: string }
/** A page in which embeds are drawn. */
export type EmbedPage = {
  theme: { id: string; name: string; role: string }
  /** `suffix`: null for the type's own template. */
  template: { name: string; suffix: string | null }
  data: PageData
  path: string
  origin: string
  country: string
  market: Currency
  cart: PricedCart
}
export type AppField = { namespace: string; key: string; type: string; value: string }

/** A field as Liquid sees it: its text, or what its JSON says by `.value`. */
class FieldDrop {
  readonly type: string
  readonly value: unknown
  readonly #text: string
  constructor({ type, value }: AppField) {
    this.type = type
    this.#text = value
    this.value = type === 'json' ? (JSON.parse(value) as unknown) : value
  }
  toString(): string {
    return this.#text
  }
}

/** `app` in an extension's Liquid: the fields that the app keeps with its installation. */
export function liquidApp(fields: readonly AppField[]): object {
  const metafields: Record<string, Record<string, FieldDrop>> = {}
  for (const field of fields) (metafields[field.namespace] ??= {})[field.key] = new FieldDrop(field)
  return { metafields }
}

/** The number of a market: the primary one is that of the shop's own currency. */
export const marketId = (code: string): number =>
  code === shop.currency
    ? 8_000
    : 8_000 + [...code].reduce((sum, c) => sum * 26 + c.charCodeAt(0) - 64, 0)
export const marketHandle = (code: string): string =>
  code === shop.currency ? 'primary' : code.toLowerCase()

/** The objects that Liquid has on a page, besides those of the app. */
export function liquidPage(page: EmbedPage): Record<string, unknown> {
  const { theme, template, data, path, origin, country, market, cart } = page
  const currency = { iso_code: market.code }
  const resource = (name: string) => (data[name] ? { [name]: data[name] } : {})
  return {
    shop: {
      id: Number(shopifyShop.id),
      name: shop.name,
      permanent_domain: shopifyShop.domain,
      domain: new URL(origin).host,
      url: origin,
      currency: shop.currency,
    },
    theme: { ...theme, role: roleOf(theme) },
    template: {
      ...template,
      directory: null,
      toString: () => template.name + (template.suffix ? `.${template.suffix}` : ''),
    },
    request: {
      path,
      host: new URL(origin).host,
      origin,
      page_type: template.name,
      locale: { iso_code: 'en' },
      design_mode: false,
      visual_preview_mode: false,
    },
    localization: {
      country: { iso_code: country, currency },
      language: { iso_code: 'en' },
      market: { id: marketId(market.code), handle: marketHandle(market.code) },
    },
    cart: { currency, item_count: cart.item_count, attributes: cart.attributes },
    ...resource('product'),
    ...resource('collection'),
    ...resource('page'),
    ...resource('blog'),
    ...resource('article'),
    customer: null,
  }
}

/** Units of the market's currency for one unit of the shop's own, as the platform says it. */
export const unitRate = ({ rate, code }: Currency): number =>
  Number((rate * 10 ** (minorDigits(shop.currency) - minorDigits(code))).toPrecision(12))

const roleOf = ({ role }: EmbedPage['theme']): string => (role === 'live' ? 'main' : role)

/** What the platform's own scripts say in the head of each page. */
export const platformGlobals = ({ theme, template, data, country, market }: EmbedPage): string => {
  const resource = data[template.name] as { id?: number } | undefined
  const said = {
    shop: shopifyShop.domain,
    locale: 'en',
    country,
    currency: { active: market.code, rate: String(unitRate(market)) },
    theme: { id: Number(theme.id), name: theme.name, role: roleOf(theme) },
    routes: { root: '/' },
  }
  const meta = {
    page: {
      pageType: template.name,
      ...(resource?.id !== undefined && {
        resourceType: template.name,
        resourceId: resource.id,
      }),
    },
  }
  return `<script>window.Shopify=Object.assign(window.Shopify||{},${inScript(said)});window.ShopifyAnalytics={meta:${inScript(meta)}}</script>`
}

/** JSON that a script element may hold. */
export const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')
