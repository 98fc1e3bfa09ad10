import type { FastifyReply, FastifyRequest } from 'fastify'
import { minorDigits } from '../../domain/money.ts'
import {
  noFacts,
  themeParameter,
  viewParameter,
  type PageFacts,
} from '../../domain/events/page-facts.ts'
import type { AppScript, AppScripts } from '../apps/app-script.ts'
import { freeShippingFrom, type Carts, type PriceCart } from '../orders/carts.ts'
import { blogs } from '../catalogue/blog.ts'
import type { Catalogue } from '../catalogue/changed.ts'
import { pages } from '../catalogue/pages.ts'
import { hasPriceList, type Currencies } from './currencies.ts'
import type { Details } from '../admin/details.ts'
import { text } from '../forms.ts'
import { countries, type Locale, type LocaleOf } from './localization.ts'
import { type PageApis, pageApisTag } from './page-apis.ts'
import { shop } from '../shop.ts'
import { convertedAmount, shownCart, shownData } from './shown.ts'
import type { Theme } from '../themes/shown-theme.ts'
import { withEmbeds } from '../shopify-web/embed/app-embeds.ts'
import type { EmbedPage, PlatformPage } from '../shopify-web/embed/embed-page.ts'
import { escaped, type PageData } from '../themes/theme.ts'
import type { Themes } from '../themes/themes.ts'

export type StorefrontOptions = {
  origin: string
  adminOrigin: string
  appOrigin: string
  isSecure: boolean
  themes: Themes
  carts: Carts
  price: PriceCart
  catalogue: Catalogue
  currencies: Currencies
  localeOf: LocaleOf
  details: Details
  scripts: AppScripts
  /** Whether pages of this theme load the app's script. */
  hasScript: (themeId: string) => boolean
  pageApis: PageApis
  /** Seconds that a browser keeps a theme that a link asked for; by default until it closes. */
  previewAge?: number | undefined
  /** What a platform puts into each page besides. */
  platformPage?: ((page: EmbedPage) => PlatformPage | undefined) | undefined
}
export type ShowPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  data: PageData,
  suffix?: string,
) => Promise<FastifyReply>

/** Draws the shop's pages in the requested theme and in the buyer's currency. */
export function pageShower(options: StorefrontOptions): ShowPage {
  const {
    origin,
    adminOrigin,
    appOrigin,
    carts,
    price,
    catalogue,
    currencies,
    localeOf,
    details,
    scripts,
    hasScript,
    pageApis,
    platformPage,
  } = options
  return async (request, reply, type, data, suffix) => {
    const query = request.query as Record<string, unknown>
    const theme = themeOf(options, request, reply)
    const locale = localeOf(request)
    const { country, currency } = locale
    const cart = price(carts.find(request.cookies['cart']) ?? carts.begin(), currency)
    const path = request.url.split('?')[0]!
    let added: PlatformPage = { header: '', head: '', body: '' }
    const html = await theme.render(
      { type, suffix: text(query[viewParameter]) || suffix },
      shownData(
        {
          shop: { ...shop, ...details.current() },
          cart: shownCart(cart, currency),
          collections: catalogue.collections(),
          pages,
          blogs,
          path,
          here: request.url,
          canonical_url: origin + path,
          free_delivery_from: convertedAmount(freeShippingFrom, currency),
          localization: {
            country,
            currency: currency.code,
            countries,
            currencies: currencies.list(),
          },
          ...data,
        },
        currency,
      ),
      {
        currency: currency.code,
        contentForHeader: template => {
          const suffix = template.slice(type.length + 1) || null
          added =
            platformPage?.({
              theme: options.themes.record(theme.id),
              template: { name: type, suffix },
              data,
              path,
              origin,
              country,
              market: currency,
              cart,
            }) ?? added
          const tag = contentForHeader(hasScript(theme.id) ? scripts.current() : null, {
            ...localeFacts(locale),
            theme: theme.id,
            template,
            resource: resourceOf(type, data),
          })
          return added.header + tag + pageApisTag(pageApis.current())
        },
      },
    )
    return (
      reply
        .type('text/html; charset=utf-8')
        // The app may show the shop's pages in its editor; nobody else may frame them.
        .header(
          'content-security-policy',
          `frame-ancestors 'self' ${appOrigin}${adminOrigin === origin ? '' : ` ${adminOrigin}`}`,
        )
        .header('cache-control', 'no-store')
        .send(withEmbeds(html, added))
    )
  }
}

/**
 * The live theme, or the one that a link has asked for. That choice lasts for the browser's
 * session, or until a link asks for the live theme.
 */
function themeOf(
  { themes, isSecure, previewAge }: StorefrontOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Theme {
  const query = request.query as Record<string, unknown>
  const kept = request.cookies[themeCookie]
  const asked = text(query[themeParameter])
  if (asked === themes.live.id || (asked === '' && themeParameter in query)) {
    if (kept) reply.clearCookie(themeCookie, { path: '/' })
    return themes.live
  }
  const previewed = themes.byId(asked)
  if (previewed && asked !== kept)
    reply.setCookie(themeCookie, asked, {
      path: '/',
      sameSite: 'lax',
      httpOnly: true,
      secure: isSecure,
      ...(previewAge && { maxAge: previewAge }),
    })
  return previewed ?? themes.byId(kept ?? '') ?? themes.live
}
const themeCookie = 'preview_theme'

const localeFacts = ({ country, currency }: Locale): PageFacts => ({
  ...noFacts,
  country,
  ...(hasPriceList(currency)
    ? { rate: 0 }
    : { rate: currency.rate, step: currency.step, ending: currency.ending }),
  digits: minorDigits(currency.code),
})
/**
 * The id of what a page is about: its product, collection, page, blog or article; '' for other
 * pages.
 */
const resourceOf = (type: string, data: PageData): string =>
  String((data[type] as { id?: number } | undefined)?.id ?? '')

/**
 * The tag of the app's script. It comes first in every page's head and blocks, so that the arm is
 * there before the page is painted. Its address holds a hash of the content, so that a change shows
 * at once. Its attributes say what the page says about itself.
 */
const contentForHeader = (script: AppScript | null, facts: PageFacts): string => {
  if (!script) return ''
  const said = Object.entries(facts).flatMap(([name, value]) =>
    value === '' ? [] : ` data-${name}="${escaped(String(value))}"`,
  )
  if (script.isInline)
    return `<script${said.join('')}>${Buffer.from(script.body).toString()}</script>`
  return `<script src="/assets/twinshelf.js?v=${script.etag}"${said.join('')}></script>`
}

export const showMissing = (
  show: ShowPage,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => show(request, reply.code(404), '404', { page_title: 'Page not found' })
