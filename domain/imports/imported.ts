/**
 * The ids of visitors in imported tests begin with this. The collector and SQL use it too, so this
 * file imports nothing.
 */
export const importedPrefix = 'import-'
/** The prefix as a pattern for SQL's `like`. */
export const importedLike = `${importedPrefix}%`

export const isImported = (visitor: string): boolean => visitor.startsWith(importedPrefix)

/**
 * Whether a file has page views. Without them every visitor would seem to bounce, so bounces are
 * shown only when some visitor saw a second page.
 */
export const tellsPages = (parts: readonly { visitors: number; bounces: number }[]): boolean =>
  parts.some(({ visitors, bounces }) => bounces < visitors)
