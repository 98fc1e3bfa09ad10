import { ownAddress, pathOf } from '../../domain/stores/own-address.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Platform } from '../platform/adapter.ts'

export type ShopHosts = { shop: string; domain: string; origin: string }

/**
 * A URL as a merchant wrote it, as a path on the shop (with query and hash); null when it is not on one of the shop's
 * own hosts, or not plainly a web address. What we fetch and where we send shoppers is always this path, so no other
 * host, scheme, port or address can come in.
 */
export function shopPath(text: string, { shop, domain, origin }: ShopHosts): string | null {
  const written = text.trim()
  // Browsers drop tabs and newlines inside a URL and read a backslash as a slash: both have hidden foreign hosts.
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

/** The address of a path on the shop as it is requested, looked at once more. Throws HttpProblem 400 for one that leads elsewhere. */
export function addressOn({ origin }: Pick<ShopHosts, 'origin'>, path: string): string {
  const url = ownAddress(path, origin)
  if (!url)
    throw new HttpProblem(400, 'This address leads to another site. Name a page of your own shop.')
  return url.href
}

/** The path of a redirect's page, once it is known to be on the shop and to answer there. Throws HttpProblem 400 at `field`. */
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

/** A shop's chain of redirects is followed so far. */
const maxLeads = 5

/** Of an address that does not answer as a page, where the shop leads from there, in words; null when it leads nowhere. */
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
        ? `This address leads on to another: ${chain.join(' → ')}. Name ${at} itself.`
        : `This address leads to a page that is not there: ${chain.join(' → ')}.`
    }
    const next = shopPath(URL.parse(location, addressOn(hosts, at))?.href ?? '', hosts)
    if (next === null) return 'This address leads to another site. Name a page of your own shop.'
    const isLoop = chain.includes(withoutHash(next))
    chain.push(withoutHash(next))
    if (isLoop)
      return `This address leads in a circle: ${chain.join(' → ')}. Name a page that leads nowhere else.`
    if (chain.length > maxLeads)
      return `This address leads from one to the next: ${chain.join(' → ')} and on. Name the last page itself.`
  }
}

const withoutHash = (path: string): string => path.replace(/#.*/, '')
