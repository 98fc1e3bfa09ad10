/**
 * The URL of a path, or of an address on `origin`; null when it leads to another origin. The
 * receiver may keep only the path and resolve it a second time. Then "/.//host", which is first a
 * page of this origin, would become another host. So we resolve the path again here and require the
 * same address.
 */
export function ownAddress(text: string, origin: string): URL | null {
  // Browsers remove tabs and newlines from an address, and read a backslash as a slash.
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return null
  const url = URL.parse(text, origin)
  if (!url || url.origin !== new URL(origin).origin) return null
  return URL.parse(pathOf(url), origin)?.href === url.href ? url : null
}

/** The part after the origin: path, query and hash. */
export const pathOf = ({ pathname, search, hash }: URL): string => pathname + search + hash

const nowhere = 'http://own.invalid'

/**
 * The text as a path (and query) of this app. Null when a browser could read it as an address
 * outside the app.
 */
export function ownPath(text: string | undefined): string | null {
  if (!text || text.length > 2048 || !text.startsWith('/') || text.startsWith('//')) return null
  const url = ownAddress(text, nowhere)
  return url && url.pathname + url.search
}
