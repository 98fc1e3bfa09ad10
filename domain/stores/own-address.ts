/**
 * A path, or an address on `origin` itself, as the address that will be requested; null where it leads anywhere else.
 * Whoever receives an address may keep its path alone and resolve that once more: "/.//host" is a page of this origin
 * when it is read once, and another host when its path is read again. So the path is resolved again here, and has to
 * come to the very same address.
 */
export function ownAddress(text: string, origin: string): URL | null {
  // Browsers drop tabs and newlines from an address, and read a backslash as a slash.
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return null
  const url = URL.parse(text, origin)
  if (!url || url.origin !== new URL(origin).origin) return null
  return URL.parse(pathOf(url), origin)?.href === url.href ? url : null
}

/** What stands behind the origin: path, query and hash. */
export const pathOf = ({ pathname, search, hash }: URL): string => pathname + search + hash
