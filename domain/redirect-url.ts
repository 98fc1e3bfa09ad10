/** The address a redirect test's `to` names, seen from a page of the shop. null when it is no http(s) URL. */
export function targetOf(to: string, here: URL): URL | null {
  try {
    const target = new URL(to, here)
    return /^https?:$/.test(target.protocol) ? target : null
  } catch {
    return null
  }
}

/** Whether `here` is the page that the target names: same host and path, and every parameter that it asks for. */
export const isAt = (target: URL, here: URL): boolean => target.host === here.host && pathOf(target) === pathOf(here)
  && [...target.searchParams].every(([name, value]) => here.searchParams.getAll(name).includes(value))

/**
 * Takes the visitor's query and hash along to the target. On a clash the visitor's own parameter wins, since campaign
 * and discount links must go on working.
 */
export function takeAlong(target: URL, { search, searchParams, hash }: URL): void {
  if (target.search) {
    for (const [name] of searchParams) target.searchParams.delete(name)
    for (const [name, value] of searchParams) target.searchParams.append(name, value)
  } else target.search = search
  target.hash = hash || target.hash
}

const anyShop = 'https://shop.example'
/** Paths on one shop (or addresses), read as its script reads them; null when one is no web address. */
function bothOf(controlUrl: string, redirectUrl: string): { here: URL; target: URL } | null {
  const here = targetOf(controlUrl.trim(), new URL(anyShop)), target = here && targetOf(redirectUrl.trim(), here)
  return target && { here, target }
}

/** Whether a redirect test sends anyone anywhere: on a page that is its own variant nobody would ever be counted. */
export function leadsElsewhere(controlUrl: string, redirectUrl: string): boolean {
  const both = bothOf(controlUrl, redirectUrl)
  if (!both) return true
  const { here, target } = both
  if (isAt(target, here)) return false
  takeAlong(target, here)
  return !isAt(target, here)
}

/** Whether two addresses are one page, whatever their queries. */
export function isSamePage(controlUrl: string, redirectUrl: string): boolean {
  const both = bothOf(controlUrl, redirectUrl)
  return both !== null && both.here.host === both.target.host && pathOf(both.here) === pathOf(both.target)
}

const pathOf = ({ pathname }: URL): string => pathname.replace(/\/$/, '').toLowerCase()
