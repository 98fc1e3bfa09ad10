/**
 * Whether a path (with or without query) is one of the pages a pattern names. `*` is any run of characters; case and
 * a closing slash do not matter. Walks the parts between the stars, so that no pattern can make it slow.
 */
export function matchesPattern(pattern: string, path: string): boolean {
  const bare = trim(pattern.includes('?') ? path : path.replace(/[?#].*/, ''))
  const parts = trim(pattern).split('*')
  let at = 0
  return parts.every((part, i) => {
    // The last part stands at the very end, the first at the very beginning, each other one as early as it can.
    const found = i < parts.length - 1 ? bare.indexOf(part, at) : Math.max(at, bare.length - part.length)
    const fits = found >= at && bare.startsWith(part, found) && (i > 0 || found === 0)
    at = found + part.length
    return fits
  })
}

const trim = (path: string): string => path.replace(/(.)\/$/, '$1').toLowerCase()
