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

const pathOf = ({ pathname }: URL): string => pathname.replace(/\/$/, '').toLowerCase()
