const nowhere = 'http://own.invalid'

/** The text as a path (and query) of this app, or null when a browser could read it as leading anywhere else. */
export function ownPath(text: string | undefined): string | null {
  if (!text || text.length > 2048 || !text.startsWith('/')) return null
  // Browsers drop tabs and newlines from a URL, and read a backslash as a slash.
  if (/[\u0000-\u0020\u007f\\]/.test(text) || text.startsWith('//')) return null
  const url = URL.parse(text, nowhere)
  // Dots may fold into a second slash at the front, as in "/.//evil".
  return url && url.origin === nowhere && !url.pathname.startsWith('//') ? url.pathname + url.search : null
}
