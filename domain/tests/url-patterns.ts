import { matchesPattern, whole } from './url-pattern.ts'

/**
 * Maximum number of patterns with a `*`. Further ones are ignored, because each costs time for
 * every path.
 */
const maxPatterns = 500

/**
 * Makes a function that tells whether a path matches any of many patterns, by the rules of
 * `matchesPattern`. The patterns are prepared once: those without a `*` need one look-up, and of
 * the others only those that begin like the path are compared.
 */
export function patternMatcher(patterns: Iterable<string>): (path: string) => boolean {
  const exact = new Set<string>(),
    others: { pattern: string; beginning: string }[] = []
  for (const pattern of new Set(patterns)) {
    if (!pattern.includes('*')) exact.add(whole(pattern))
    else if (others.length < maxPatterns)
      others.push({ pattern, beginning: pattern.split('*')[0]!.toLowerCase() })
  }
  return path => {
    if (exact.has(whole(path)) || exact.has(whole(path.replace(/[?#].*/, '')))) return true
    const lower = path.toLowerCase()
    return others.some(
      ({ pattern, beginning }) => lower.startsWith(beginning) && matchesPattern(pattern, path),
    )
  }
}
