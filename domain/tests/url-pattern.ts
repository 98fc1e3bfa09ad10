/**
 * Whether a path (with or without query) is one of the pages a pattern names. `*` is any run of characters; case and
 * a closing slash do not matter. Walks the parts between the stars, so that no pattern can make it slow.
 */
export function matchesPattern(pattern: string, path: string): boolean {
  const bare = whole(pattern.includes('?') ? path : path.replace(/[?#].*/, ''))
  let at = 0
  // Each part stands as early as it can; the first and the last, which hold the ends, can nowhere else.
  return whole(pattern)
    .split('*')
    .every(part => {
      const found = bare.indexOf(part, at)
      at = found + part.length
      return found >= 0
    })
}

/** Between marks of both ends: # stands in no path. */
export const whole = (path: string): string => `#${path.replace(/(.)\/$/, '$1').toLowerCase()}#`
