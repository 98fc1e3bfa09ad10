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

/** What a redirect test says: the page it is met on, and the one that its variant is. */
export type Redirect = { control: string; variant: string }

/** The redirects that lead a visitor of this one's variant on, by their pages; of one whose two arms are one page none does. */
export const leadingOn = <T extends Redirect>(variant: string, others: readonly T[]): T[] =>
  others.filter(other => isSamePage(other.control, variant) && !isSamePage(other.control, other.variant))

/** The redirects that lead from this one's variant back to its control, in order; null where none do. */
export function circleOf<T extends Redirect>({ control, variant }: Redirect, others: readonly T[]): T[] | null {
  if (isSamePage(control, variant)) return null
  const next = leadingOn(variant, others), rest = others.filter(other => !next.includes(other))
  for (const one of next) {
    if (isSamePage(control, one.variant)) return [one]
    const further = circleOf({ control, variant: one.variant }, rest)
    if (further) return [one, ...further]
  }
  return null
}

const pathOf = ({ pathname }: URL): string => pathname.replace(/\/$/, '').toLowerCase()
