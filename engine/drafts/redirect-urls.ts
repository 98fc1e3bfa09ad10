import { ownAddress, pathOf } from '../../domain/stores/own-address.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Platform } from '../platform/adapter.ts'

export type ShopHosts = { shop: string; domain: string; origin: string }

/**
 * Turns a URL that a merchant wrote into a path on the shop, with query and hash. Returns null when
 * it is not on one of the shop's own hosts, or is not plainly a web address. We fetch only this
 * path and send shoppers only to this path, so no other host, scheme, port or address can get in.
 */
export function shopPath(text: string, { shop, domain, origin }: ShopHosts): string | null {
  const written = text.trim()
  // Browsers drop tabs and newlines inside a URL and read a backslash as a slash. Attackers have
  // used both to hide another host.
  if (/[\u0000-\u0020\u007f\\]/.test(written)) return null
  if (!written.startsWith('/') && !/^https?:\/\//i.test(written)) return null
  const url = URL.parse(written, origin)
  if (!url) return null
  const isLocal = url.hostname === 'localhost'
  if (
    url.username ||
    url.password ||
    !(url.protocol === 'https:' || (url.protocol === 'http:' && isLocal) || url.origin === origin)
  )
    return null
  const isOwn =
    url.origin === origin || (url.port === '' && (url.hostname === shop || url.hostname === domain))
  return isOwn ? ownAddress(pathOf(url), origin) && pathOf(url) : null
}

/**
 * The full address of a path on the shop. Checks the path again: throws HttpProblem 400 when it
 * leads to another site.
 */
export function addressOn({ origin }: Pick<ShopHosts, 'origin'>, path: string): string {
  const url = ownAddress(path, origin)
  if (!url)
    throw new HttpProblem(400, 'This address leads to another site. Name a page of your own shop.')
  return url.href
}

/**
 * The path of a page that a redirect test names. We check that it is on the shop and that the shop
 * answers there. Throws HttpProblem 400 at `field`.
 */
export async function requirePage(
  platform: Platform,
  hosts: ShopHosts,
  text: string,
  field: 'redirectUrl' | 'controlUrl' | 'redirectTestUrl',
): Promise<string> {
  const refuse = (message: string) => new HttpProblem(400, message, [{ field, message }])
  const path = shopPath(text, hosts)
  if (path === null)
    throw refuse(
      `Use a page of your own shop: a path such as /pages/gift-guide, or an address that begins with ${hosts.origin}.`,
    )
  if (!(await platform.pageExists(hosts.shop, addressOn(hosts, path))))
    throw refuse(
      (await whyNoPage(platform, hosts, path)) ?? 'The shop has no page at this address.',
    )
  return path
}

/** How many redirects of one chain we follow. */
const maxLeads = 5

/**
 * Explains where the shop redirects an address that does not answer as a page. Returns null when it
 * does not redirect.
 */
async function whyNoPage(
  platform: Platform,
  hosts: ShopHosts,
  path: string,
): Promise<string | null> {
  const chain = [withoutHash(path)]
  for (;;) {
    const at = chain.at(-1)!
    const { status, location } = await platform
      .fetchPage(hosts.shop, addressOn(hosts, at))
      .catch(() => ({ status: 0, location: undefined }))
    if (!(status >= 300 && status < 400 && location)) {
      if (chain.length === 1) return null
      return status === 200
        ? `This address redirects to another: ${chain.join(' → ')}. Enter ${at} instead.`
        : `This address redirects to a page that does not exist: ${chain.join(' → ')}.`
    }
    const next = shopPath(URL.parse(location, addressOn(hosts, at))?.href ?? '', hosts)
    if (next === null) return 'This address leads to another site. Name a page of your own shop.'
    const isLoop = chain.includes(withoutHash(next))
    chain.push(withoutHash(next))
    if (isLoop)
      return `This address redirects in a circle: ${chain.join(' → ')}. Enter a page that does not redirect.`
    if (chain.length > maxLeads)
      return `This address redirects many times: ${chain.join(' → ')} → … Enter the last page instead.`
  }
}

const withoutHash = (path: string): string => path.replace(/#.*/, '')
