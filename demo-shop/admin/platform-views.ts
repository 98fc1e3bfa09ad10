import { readdirSync, readFileSync } from 'node:fs'
import { Liquid } from 'liquidjs'
import { decimalMoney, formatMoney } from '../../domain/money.ts'
import { shop } from '../shop.ts'

const folder = new URL('../platform/', import.meta.url)

/** Pages that belong to the platform and not to a theme: checkout, order status, admin. */
export type PlatformViews = { render: (name: string, data: object) => string; css: string }

/**
 * `details` returns what the merchant calls the shop now. `signsOut`: the back office has a
 * password, so its pages have a button to sign out.
 */
export function loadPlatformViews(details: () => object, signsOut: boolean): PlatformViews {
  const files = readdirSync(folder).filter(file => file.endsWith('.liquid'))
  const liquid = new Liquid({
    outputEscape: 'escape',
    strictFilters: true,
    templates: Object.fromEntries(
      files.map(file => [
        file.replace(/\.liquid$/, ''),
        readFileSync(new URL(file, folder), 'utf8'),
      ]),
    ),
  })
  liquid.registerFilter('money', (minor: number, currency: string = shop.currency) =>
    formatMoney(minor, currency),
  )
  liquid.registerFilter('decimal', (minor: number) => decimalMoney(minor, shop.currency))
  const moment = new Intl.DateTimeFormat('en-US', {
    timeZone: shop.timeZone,
    month: 'short',
    day: 'numeric',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  })
  liquid.registerFilter('moment', (iso: string) => moment.format(new Date(iso)))
  const parsed = new Map(
    files.map(file => [file, liquid.parse(readFileSync(new URL(file, folder), 'utf8'))]),
  )
  return {
    render: (name, data) =>
      liquid.renderSync(parsed.get(`${name}.liquid`)!, {
        shop: { ...shop, ...details(), signsOut },
        ...data,
      }) as string,
    css: readFileSync(new URL('platform.css', folder), 'utf8'),
  }
}
