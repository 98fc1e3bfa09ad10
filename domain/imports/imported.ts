/** Visitors of imported tests are called so. Types and texts alone: the collector and SQL share them. */
export const importedPrefix = 'import-'
/** The same for SQL's `like`. */
export const importedLike = `${importedPrefix}%`

export const isImported = (visitor: string): boolean => visitor.startsWith(importedPrefix)

/** A file without page views would let every visitor bounce. So only where some visitor saw a second page are there bounces to tell about. */
export const tellsPages = (parts: readonly { visitors: number; bounces: number }[]): boolean =>
  parts.some(({ visitors, bounces }) => bounces < visitors)
