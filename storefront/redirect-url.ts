/**
 * Where a redirect test's variant sends a visitor: the query and hash of the page they came to are kept. On a clash
 * the visitor's own parameter wins, since campaign and discount links must go on working.
 * null when `to` is no http(s) URL.
 */
export function redirectTarget(to: string, from: URL): URL | null {
  const target = parse(to, from)
  if (!target) return null
  if (target.search) {
    const { searchParams } = target
    for (const name of from.searchParams.keys()) searchParams.delete(name)
    for (const [name, value] of from.searchParams) searchParams.append(name, value)
  } else target.search = from.search
  target.hash = from.hash || target.hash
  return target
}

/** Whether `here` is the page that `to` names: same host and path, and every parameter that `to` asks for. */
export function isAt(to: string, here: URL): boolean {
  const target = parse(to, here)
  return !!target && target.host === here.host && pathOf(target) === pathOf(here)
    && [...target.searchParams].every(([name, value]) => here.searchParams.getAll(name).includes(value))
}

function parse(to: string, base: URL): URL | null {
  try {
    const url = new URL(to, base)
    return /^https?:$/.test(url.protocol) ? url : null
  } catch {
    return null
  }
}
const pathOf = (url: URL): string => url.pathname.replace(/\/$/, '').toLowerCase()
