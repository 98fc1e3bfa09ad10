import { whole } from './url-pattern.ts'

/**
 * Decides whether the pages of two tests meet: whether some page matches a pattern of each, by the
 * rules of matchesPattern. `*` matches any characters. Case, a closing slash and URL encoding do
 * not matter. The query does not matter if one of the two patterns has none. The collector compares
 * up to fifty running tests with two hundred patterns each, so the patterns are sorted once: one
 * walk along two sorted lists then finds texts with the same beginning.
 */
export type Pages = {
  /** Patterns without a query, without their hash. */
  bare: Side
  /** Patterns with a query. `queryless`: without their query. `queried`: complete. */
  queryless: Side
  queried: Side
}

/** Patterns without a `*` (literals) and with one (starred), each once, sorted. */
type Side = {
  literals: Literal[]
  texts: Set<string>
  starred: Group[]
  /** The ends of all starred patterns, reversed, sorted. */
  ends: string[]
}
type Literal = { text: string; marked: string; hasHash: boolean }
/** The patterns that have the same text before their first `*`. */
type Group = { text: string; patterns: string[]; ends: string[] }

export function pagesOf(patterns: readonly string[]): Pages {
  const [queried, bare] = [true, false].map(hasQuery =>
    patterns.filter(pattern => pattern.includes('?') === hasQuery),
  ) as [string[], string[]]
  const path = (pattern: string) => plain(pattern.replace(/[?#].*/, ''))
  return {
    bare: sideOf(bare.map(path)),
    queryless: sideOf(queried.map(path)),
    queried: sideOf(queried.map(plain)),
  }
}

function sideOf(patterns: readonly string[]): Side {
  const sorted = [...new Set(patterns)].sort()
  const groups = new Map<string, string[]>()
  for (const text of sorted) {
    const star = text.indexOf('*')
    if (star < 0) continue
    const start = text.slice(0, star),
      group = groups.get(start)
    if (group) group.push(text)
    else groups.set(start, [text])
  }
  const literals = sorted.filter(text => !text.includes('*'))
  return {
    literals: literals.map(text => ({ text, marked: whole(text), hasHash: text.includes('#') })),
    texts: new Set(literals),
    starred: [...groups]
      .map(([text, own]) => ({ text, patterns: own, ends: endsOf(own) }))
      .sort((a, b) => (a.text < b.text ? -1 : 1)),
    ends: endsOf(sorted.filter(text => text.includes('*'))),
  }
}

/**
 * The text after the last `*` of each pattern, reversed. So two ends are compatible when one
 * reversed text begins with the other.
 */
const endsOf = (patterns: readonly string[]): string[] =>
  [
    ...new Set(
      patterns.map(text =>
        text
          .slice(text.lastIndexOf('*') + 1)
          .split('')
          .reverse()
          .join(''),
      ),
    ),
  ].sort()

function plain(pattern: string): string {
  const bare = pattern.replace(/(.)\/$/, '$1')
  try {
    return decodeURI(bare).toLowerCase()
  } catch {
    return bare.toLowerCase()
  }
}

export const pagesMeet = (a: Pages, b: Pages): boolean =>
  shareText(a.bare, b.bare) ||
  literalsMeet(a.queryless, b.bare) ||
  literalsMeet(b.queryless, a.bare) ||
  literalsMeet(a.queried, b.queried) ||
  literalsMeet(b.queried, a.queried) ||
  [
    [a.bare, b.bare] as const,
    [a.bare, b.queryless] as const,
    [a.queryless, b.bare] as const,
    [a.queried, b.queried] as const,
  ].some(([x, y]) => starsMeet(x, y) || starsName(x, y) || starsName(y, x))

function shareText(a: Side, b: Side): boolean {
  const [few, many] = a.texts.size < b.texts.size ? [a, b] : [b, a]
  for (const text of few.texts) if (many.texts.has(text)) return true
  return false
}

/** Whether a literal of `b` matches one of `a`. */
const literalsMeet = (a: Side, b: Side): boolean =>
  b.texts.size > 0 &&
  a.literals.some(({ text, marked, hasHash }) => {
    if (b.texts.has(text)) return true
    if (hasHash)
      return b.literals.some(other => text.startsWith(other.text) && marked.includes(other.marked))
    // A second closing slash does not matter either.
    const shorter = marked.slice(1, -1)
    return b.texts.has(shorter) && whole(shorter) === marked
  })

/**
 * Whether some page matches a starred pattern of each side. Text between the stars of one pattern
 * fits into a star of the other, so only the beginnings and the ends must be compatible.
 */
function starsMeet(a: Side, b: Side): boolean {
  if (!meetInOrder(a.ends, b.ends, text => text)) return false
  if (!meetInOrder(a.starred, b.starred, ({ text }) => text)) return false
  return beginAlike(a.starred, b.starred) || beginAlike(b.starred, a.starred)
}

const beginAlike = (some: readonly Group[], others: readonly Group[]): boolean =>
  some.some(({ text, ends }) =>
    beginningWith(others, text).some(other => meetInOrder(ends, other.ends, end => end)),
  )

/** Whether a starred pattern of `a` matches a literal of `b`. */
const starsName = (a: Side, b: Side): boolean =>
  b.literals.length > 0 &&
  a.starred.some(({ text, patterns }) => {
    const literals = beginningWith(b.literals, text)
    return literals.length > 0 && patterns.some(pattern => names(pattern, literals))
  })

/**
 * The same as matchesPattern, for all literals that begin like the pattern. It splits the pattern
 * only once, because it may have hundreds of stars.
 */
function names(pattern: string, literals: readonly Literal[]): boolean {
  const marked = whole(pattern),
    parts = marked.split('*'),
    last = parts.at(-1)!
  const least = marked.length - parts.length + 1
  return literals.some(({ marked: address, hasHash }) => {
    if (address.length < least || (!hasHash && !address.endsWith(last))) return false
    let at = 0
    return parts.every(part => {
      const found = address.indexOf(part, at)
      at = found + part.length
      return found >= 0
    })
  })
}

/**
 * Whether a text of one sorted list begins with a text of the other. One walk is enough: in a
 * sorted list, all texts that begin with x come directly after x.
 */
function meetInOrder<T>(a: readonly T[], b: readonly T[], textOf: (one: T) => string): boolean {
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const x = textOf(a[i]!),
      y = textOf(b[j]!)
    if (x.startsWith(y) || y.startsWith(x)) return true
    if (x < y) i++
    else j++
  }
  return false
}

/** The items of a sorted list that begin with this text. They are next to each other. */
function beginningWith<T extends { text: string }>(sorted: readonly T[], text: string): T[] {
  const from = firstOf(sorted, one => one.text >= text)
  return sorted.slice(
    from,
    firstOf(sorted, one => one.text > text && !one.text.startsWith(text)),
  )
}

/**
 * Binary search: the index of the first item for which `isTrue` holds. It must then hold for all
 * later items too.
 */
function firstOf<T>(sorted: readonly T[], isTrue: (one: T) => boolean): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isTrue(sorted[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}
