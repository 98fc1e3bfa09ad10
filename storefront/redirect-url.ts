/**
 * Where a redirect test's variant sends a visitor: the query and hash of the page they came to are kept. On a clash
 * the visitor's own parameter wins, since campaign and discount links must go on working.
 * null when `to` is no http(s) URL.
 */
export function redirectTarget(to: string, from: URL): URL | null {
  const target = parse(to, from)
  if (!target) return null
  const own = parameters(from)
  const names = own.map(nameOf)
  // Joined by hand: URLSearchParams would rewrite what the visitor's link said (%20 to +, a bare name to `name=`).
  target.search = [...parameters(target).filter(pair => !names.includes(nameOf(pair))), ...own].join('&')
  target.hash = from.hash || target.hash
  return target
}

/** Whether `here` is the page that `to` names: same host and path, and every parameter that `to` asks for. */
export function isAt(to: string, here: URL): boolean {
  const target = parse(to, here)
  const own = parameters(here)
  return !!target && target.host === here.host && pathOf(target) === pathOf(here) && parameters(target).every(pair => own.includes(pair))
}

function parse(to: string, base: URL): URL | null {
  try {
    const url = new URL(to, base)
    return /^https?:$/.test(url.protocol) ? url : null
  } catch {
    return null
  }
}
const parameters = (url: URL): string[] => url.search.slice(1).split('&').filter(Boolean)
const nameOf = (pair: string): string => pair.split('=')[0]!
const pathOf = (url: URL): string => url.pathname.replace(/\/$/, '').toLowerCase()
