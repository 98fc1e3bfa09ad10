/** Whether a path (with or without query) is one of the pages a pattern names. `*` is any run of characters; case and a closing slash do not matter. */
export function matchesPattern(pattern: string, path: string): boolean {
  const hasQuery = pattern.includes('?')
  const bare = trim(hasQuery ? path : path.replace(/[?#].*/, ''))
  const source = trim(pattern).replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*')
  return new RegExp('^' + source + '$', 'i').test(bare)
}

const trim = (path: string): string => path.replace(/(.)\/$/, '$1')
