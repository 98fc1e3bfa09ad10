import type { TestKind } from './test-kind.ts'
import { matchesPattern } from './url-pattern.ts'

/**
 * Which tests could disturb each other (requirements 27.6): same template, same address, a template and an address on one page,
 * a theme test and everything, an automatic API test and themes or templates. Tests on different templates or pages run
 * together freely, and so do price tests (a product is in one of them at most).
 */
export type Excluding = {
  id: string
  kind: TestKind
  /** URL patterns of the tested pages; of a redirect test also the page that the variant's visitors are sent to. */
  pages: readonly string[]
  /** Of a template or page content test: control's and the variant's template as pages name them. */
  templates?: readonly string[]
  /** Only these resources of the template take part; none: all. */
  only?: readonly string[]
  isManual?: boolean
}

const onTemplates = (test: Excluding): boolean =>
  test.kind === 'Template' || test.kind === 'PageContent'
const onPages = (test: Excluding): boolean =>
  onTemplates(test) || test.kind === 'UrlRedirect' || test.kind === 'PageElement'

/** Whether a visitor of the one could be disturbed by the other. Symmetric. */
export function disturbs(a: Excluding, b: Excluding): boolean {
  if (a.id === b.id) return false
  if (a.kind === 'Theme' || b.kind === 'Theme') return true
  if (a.kind === 'Api' || b.kind === 'Api')
    return [a, b].some(test => test.kind === 'Api' && !test.isManual) && [a, b].some(onTemplates)
  if (!onPages(a) || !onPages(b)) return false
  if (onTemplates(a) && onTemplates(b)) return sharesTemplate(a, b)
  return pagesMeet(pagesOf(a.pages), pagesOf(b.pages))
}

function sharesTemplate(a: Excluding, b: Excluding): boolean {
  if (!a.templates?.some(name => b.templates?.includes(name))) return false
  return !a.only?.length || !b.only?.length || a.only.some(id => b.only!.includes(id))
}

/** A pattern in the forms in which it is compared: with its query, and without. */
type Prepared = { hasQuery: boolean; whole: string; path: string }
/** A list of patterns; `paths` are those that are one page each, without `*` and query. */
type Pages = { paths: Set<string>; others: Prepared[]; all: Prepared[] }

// A template's test may have thousands of pages, and each is compared with many others.
const known = new WeakMap<readonly string[], Pages>()

function pagesOf(patterns: readonly string[]): Pages {
  const before = known.get(patterns)
  if (before) return before
  const all = patterns.map(prepared)
  const isPath = ({ hasQuery, path }: Prepared) => !hasQuery && !path.includes('*')
  const pages: Pages = {
    paths: new Set(all.filter(isPath).map(({ path }) => path)),
    others: all.filter(one => !isPath(one)),
    all,
  }
  known.set(patterns, pages)
  return pages
}

function pagesMeet(a: Pages, b: Pages): boolean {
  const [few, many] = a.paths.size < b.paths.size ? [a, b] : [b, a]
  for (const path of few.paths) if (many.paths.has(path)) return true
  return [
    [a, b],
    [b, a],
  ].some(([one, other]) => one!.others.some(x => other!.all.some(y => meet(x, y))))
}

const prepared = (pattern: string): Prepared => ({
  hasQuery: pattern.includes('?'),
  whole: plain(pattern),
  path: plain(pattern.replace(/[?#].*/, '')),
})

/**
 * Whether some page fits both patterns as matchesPattern reads them: `*` is any run of characters; case, a closing slash
 * and the encoding do not matter, nor does the query where one of the two names none.
 */
export const patternsMeet = (a: string, b: string): boolean => meet(prepared(a), prepared(b))

function meet(a: Prepared, b: Prepared): boolean {
  const form = a.hasQuery && b.hasQuery ? 'whole' : 'path'
  const x = a[form],
    y = b[form]
  const [before, after] = [x.indexOf('*'), x.lastIndexOf('*')]
  const [otherBefore, otherAfter] = [y.indexOf('*'), y.lastIndexOf('*')]
  if (before < 0) return beginsLike(y, otherBefore, x) && matchesPattern(y, x)
  if (otherBefore < 0) return beginsLike(x, before, y) && matchesPattern(x, y)
  // What stands between the stars of one finds room in a star of the other: only the two ends have to agree.
  const [start, otherStart] = [x.slice(0, before), y.slice(0, otherBefore)]
  const [end, otherEnd] = [x.slice(after + 1), y.slice(otherAfter + 1)]
  return (
    (start.startsWith(otherStart) || otherStart.startsWith(start)) &&
    (end.endsWith(otherEnd) || otherEnd.endsWith(end))
  )
}

/** Spares nearly every comparison with an address its walk. */
const beginsLike = (pattern: string, star: number, address: string): boolean =>
  address.startsWith(star < 0 ? pattern : pattern.slice(0, star))

function plain(pattern: string): string {
  const bare = pattern.replace(/(.)\/$/, '$1')
  try {
    return decodeURI(bare).toLowerCase()
  } catch {
    return bare.toLowerCase()
  }
}

/** Which of these tests this one disturbs itself. */
export const rivalsOf = (test: Excluding, tests: readonly Excluding[]): string[] =>
  tests.filter(other => disturbs(test, other)).map(({ id }) => id)

/** The layers: sets of two or more tests that hang together by disturbing each other, in the order of their first test. */
export function layersOf<T extends Excluding>(tests: readonly T[]): T[][] {
  const layers: T[][] = []
  const seen = new Set<T>()
  for (const test of tests) {
    if (seen.has(test)) continue
    const layer = [test]
    seen.add(test)
    for (const one of layer) {
      for (const other of tests) {
        if (seen.has(other) || !disturbs(one, other)) continue
        seen.add(other)
        layer.push(other)
      }
    }
    if (layer.length > 1) layers.push(layer)
  }
  return layers
}
