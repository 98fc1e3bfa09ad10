/** Visitors of imported tests are called so. Types and texts alone: the collector and SQL share them. */
export const importedPrefix = 'import-'
/** The same for SQL's `like`. */
export const importedLike = `${importedPrefix}%`

export const isImported = (visitor: string): boolean => visitor.startsWith(importedPrefix)
