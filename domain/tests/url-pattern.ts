/**
 * Whether a path (with or without query) matches a pattern. `*` matches any characters; case and a
 * closing slash do not matter. It searches for the parts between the stars one after another, so no
 * pattern can make it slow.
 */
export function matchesPattern(pattern: string, path: string): boolean {
  const bare = whole(pattern.includes('?') ? path : path.replace(/[?#].*/, ''))
  let at = 0
  // Take the first place where each part occurs. The first and the last part contain an end mark
  // (#), so they fit only at the ends.
  return whole(pattern)
    .split('*')
    .every(part => {
      const found = bare.indexOf(part, at)
      at = found + part.length
      return found >= 0
    })
}

/**
 * A path or pattern in lower case, without a closing slash, between two # as marks of its ends,
 * because no path contains #.
 */
export const whole = (path: string): string => `#${path.replace(/(.)\/$/, '$1').toLowerCase()}#`
