import { matchesPattern, whole } from './url-pattern.ts'

/** So many different patterns with a `*` are looked at: each costs time for every path. */
const maxPatterns = 500

/**
 * Whether any of many patterns names a path, as `matchesPattern` says it. What can be done once for all paths is:
 * patterns without a `*` cost nothing for each, and of the others only those that begin like the path are walked.
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
