/**
 * Whether a path (with or without query) is one of the pages a pattern names. `*` is any run of characters; case and
 * a closing slash do not matter. Walks the parts between the stars, so that no pattern can make it slow.
 */
export function matchesPattern(pattern: string, path: string): boolean {
  const bare = trim(pattern.includes('?') ? path : path.replace(/[?#].*/, ''))
  const [first = '', ...rest] = trim(pattern).split('*')
  const last = rest.pop()
  if (last === undefined) return bare === first
  let at = first.length
  const inOrder = rest.every(part => {
    const found = bare.indexOf(part, at)
    at = found + part.length
    return found >= 0
  })
  return inOrder && bare.startsWith(first) && bare.endsWith(last) && bare.length - last.length >= at
}

const trim = (path: string): string => path.replace(/(.)\/$/, '$1').toLowerCase()
