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
export const isAt = (target: URL, here: URL): boolean =>
  target.host === here.host && isAtPath(target, here)

/** The same of two addresses of one host. */
export const isAtPath = (target: URL, here: URL): boolean =>
  pathOf(target) === pathOf(here) &&
  [...target.searchParams].every(([name, value]) => here.searchParams.getAll(name).includes(value))

/**
 * Takes the visitor's query and hash along to the target. On a clash the visitor's own parameter wins, since campaign
 * and discount links must continue working.
 */
export function takeAlong(target: URL, { search, searchParams, hash }: URL): void {
  if (target.search) {
    for (const [name] of searchParams) target.searchParams.delete(name)
    for (const [name, value] of searchParams) target.searchParams.append(name, value)
  } else target.search = search
  if (hash) target.hash = hash
}

const anyShop = 'https://shop.example'
/** Paths on one shop (or addresses), read as its script reads them; null when one is no web address. */
function bothOf(controlUrl: string, redirectUrl: string): { here: URL; target: URL } | null {
  const here = targetOf(controlUrl.trim(), new URL(anyShop)),
    target = here && targetOf(redirectUrl.trim(), here)
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
  return (
    both !== null &&
    both.here.host === both.target.host &&
    pathOf(both.here) === pathOf(both.target)
  )
}

/** What a redirect test says: the page it is met on, and the one that its variant is. */
export type Redirect = { control: string; variant: string }

/** The redirects that lead a visitor of this one's variant on, by their pages; of one whose two arms are one page none does. */
export const leadingOn = <T extends Redirect>(variant: string, others: readonly T[]): T[] =>
  others.filter(
    other => isSamePage(other.control, variant) && !isSamePage(other.control, other.variant),
  )

/** The fewest redirects that lead from this one's variant back to its control, in order; null where none do. */
export function circleOf<T extends Redirect>(
  { control, variant }: Redirect,
  others: readonly T[],
): T[] | null {
  const home = pageAt(control),
    start = pageAt(variant)
  if (home === null || start === null || home === start) return null
  const leads = others
    .map(one => ({ one, from: pageAt(one.control), to: pageAt(one.variant) }))
    .filter(({ from, to }) => from !== to && to !== null)
  const onFrom = Map.groupBy(leads, ({ from }) => from)
  // Pages that are reached, the nearest first, each with what led there first: each page is looked at once.
  const reached = new Map<string, (typeof leads)[number] | null>([[start, null]])
  for (const page of reached.keys()) {
    for (const lead of onFrom.get(page) ?? [])
      if (!reached.has(lead.to!)) reached.set(lead.to!, lead)
    if (reached.has(home)) break
  }
  const circle: T[] = []
  for (let lead = reached.get(home); lead; lead = reached.get(lead.from!)) circle.unshift(lead.one)
  return circle.length > 0 ? circle : null
}

/** Which page of a shop an address names, whatever its query; null when it is no web address. */
function pageAt(address: string): string | null {
  const url = targetOf(address.trim(), new URL(anyShop))
  return url && url.host + pathOf(url)
}

const pathOf = ({ pathname }: URL): string => pathname.replace(/\/$/, '').toLowerCase()
