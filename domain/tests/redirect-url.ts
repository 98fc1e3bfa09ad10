/**
 * The address that a redirect test's `to` names, resolved from a page of the shop. Null when it is
 * not an http(s) URL.
 */
export function targetOf(to: string, here: URL): URL | null {
  try {
    const target = new URL(to, here)
    return /^https?:$/.test(target.protocol) ? target : null
  } catch {
    return null
  }
}

/**
 * Whether `here` is the target's page: same host and path, and all query parameters of the target.
 */
export const isAt = (target: URL, here: URL): boolean =>
  target.host === here.host && isAtPath(target, here)

/** The same without comparing the hosts. */
export const isAtPath = (target: URL, here: URL): boolean =>
  barePath(target) === barePath(here) &&
  [...target.searchParams].every(([name, value]) => here.searchParams.getAll(name).includes(value))

/**
 * Adds the visitor's query and hash to the target. The visitor's parameters replace those of the
 * target, because campaign and discount links must keep working.
 */
export function takeAlong(target: URL, { search, searchParams, hash }: URL): void {
  if (target.search) {
    for (const [name] of searchParams) target.searchParams.delete(name)
    for (const [name, value] of searchParams) target.searchParams.append(name, value)
  } else target.search = search
  if (hash) target.hash = hash
}

const anyShop = 'https://shop.example'
/**
 * Resolves two paths (or addresses) of a shop as the script does; null when one is not a web
 * address.
 */
function bothOf(controlUrl: string, redirectUrl: string): { here: URL; target: URL } | null {
  const here = targetOf(controlUrl.trim(), new URL(anyShop)),
    target = here && targetOf(redirectUrl.trim(), here)
  return target && { here, target }
}

/**
 * Whether a redirect test leads to another page. If the page were its own variant, no visitor would
 * ever be counted. True when an address cannot be read.
 */
export function leadsElsewhere(controlUrl: string, redirectUrl: string): boolean {
  const both = bothOf(controlUrl, redirectUrl)
  if (!both) return true
  const { here, target } = both
  if (isAt(target, here)) return false
  takeAlong(target, here)
  return !isAt(target, here)
}

/** Whether two addresses are the same page; queries are ignored. */
export function isSamePage(controlUrl: string, redirectUrl: string): boolean {
  const both = bothOf(controlUrl, redirectUrl)
  return (
    both !== null &&
    both.here.host === both.target.host &&
    barePath(both.here) === barePath(both.target)
  )
}

/** The two pages of a redirect test. */
export type Redirect = { control: string; variant: string }

/**
 * The other redirects that would send visitors from the page `variant` to another page. A redirect
 * whose two arms are one page sends nobody.
 */
export const leadingOn = <T extends Redirect>(variant: string, others: readonly T[]): T[] =>
  others.filter(
    other => isSamePage(other.control, variant) && !isSamePage(other.control, other.variant),
  )

/**
 * The shortest chain of other redirects that leads from this one's variant back to its control;
 * null when there is none.
 */
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
  // Breadth-first search. For each reached page, the first redirect that led there.
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

/** The page that an address names, without its query; null when it is not a web address. */
function pageAt(address: string): string | null {
  const url = targetOf(address.trim(), new URL(anyShop))
  return url && url.host + barePath(url)
}

const barePath = ({ pathname }: URL): string => pathname.replace(/\/$/, '').toLowerCase()
