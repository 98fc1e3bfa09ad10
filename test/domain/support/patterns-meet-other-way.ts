import { matchesPattern } from '../../../domain/tests/url-pattern.ts'

/**
 * Computes domain/tests/patterns-meet.ts another way: compares every pattern of one list with every
 * pattern of the other.
 */
export function listsMeet(a: readonly string[], b: readonly string[]): boolean {
  const [one, other] = [a.map(formsOf), b.map(formsOf)]
  return (
    one.some(x => isAddress(x) && other.some(y => isAddress(y) && x.path === y.path)) ||
    one.some(x => !isAddress(x) && other.some(y => meet(x, y))) ||
    other.some(x => !isAddress(x) && one.some(y => meet(x, y)))
  )
}

type Forms = { hasQuery: boolean; whole: string; path: string }

/** A pattern without `*` and without a query is one page. It is compared literally. */
const isAddress = ({ hasQuery, path }: Forms): boolean => !hasQuery && !path.includes('*')

const formsOf = (pattern: string): Forms => ({
  hasQuery: pattern.includes('?'),
  whole: plain(pattern),
  path: plain(pattern.replace(/[?#].*/, '')),
})

function plain(pattern: string): string {
  const bare = pattern.replace(/(.)\/$/, '$1')
  try {
    return decodeURI(bare).toLowerCase()
  } catch {
    return bare.toLowerCase()
  }
}

function meet(a: Forms, b: Forms): boolean {
  const form = a.hasQuery && b.hasQuery ? 'whole' : 'path'
  const x = a[form],
    y = b[form]
  const [isOne, isOther] = [!x.includes('*'), !y.includes('*')]
  if (isOne) return x.startsWith(y.split('*')[0]!) && matchesPattern(y, x)
  if (isOther) return y.startsWith(x.split('*')[0]!) && matchesPattern(x, y)
  const [start, otherStart] = [x.split('*')[0]!, y.split('*')[0]!]
  const [end, otherEnd] = [x.split('*').at(-1)!, y.split('*').at(-1)!]
  return (
    (start.startsWith(otherStart) || otherStart.startsWith(start)) &&
    (end.endsWith(otherEnd) || otherEnd.endsWith(end))
  )
}
