import type { TestKind } from './test-kind.ts'
import { type Pages, pagesMeet, pagesOf } from './patterns-meet.ts'

/**
 * Which tests could disturb each other (requirements 27.6): two tests of the same template or the
 * same address; tests of a template and of an address on one page; a theme test and any other test;
 * an automatic API test and a template test.
 * Tests of different templates or pages do not disturb each other, and neither do price tests,
 * because a product is in at most one of them.
 */
export type Excluding = {
  id: string
  kind: TestKind
  /**
   * URL patterns of the tested pages; for a redirect test also the page to which the variant's
   * visitors are sent.
   */
  pages: readonly string[]
  /** For a template or page content test: the names of both arms' templates, as pages give them. */
  templates?: readonly string[]
  /** Ids of the template's products, pages and so on that take part; empty for all. */
  only?: readonly string[]
  isManual?: boolean
}

const onTemplates = (test: Excluding): boolean =>
  test.kind === 'Template' || test.kind === 'PageContent'
const onPages = (test: Excluding): boolean =>
  onTemplates(test) || test.kind === 'UrlRedirect' || test.kind === 'PageElement'

/** Whether one test could disturb the visitors of the other. Symmetric. */
export function disturbs(a: Excluding, b: Excluding): boolean {
  if (a.id === b.id) return false
  if (a.kind === 'Theme' || b.kind === 'Theme') return true
  if (a.kind === 'Api' || b.kind === 'Api')
    return [a, b].some(test => test.kind === 'Api' && !test.isManual) && [a, b].some(onTemplates)
  if (!onPages(a) || !onPages(b)) return false
  if (onTemplates(a) && onTemplates(b)) return sharesTemplate(a, b)
  return meet(a.pages, b.pages)
}

function sharesTemplate(a: Excluding, b: Excluding): boolean {
  if (!a.templates?.some(name => b.templates?.includes(name))) return false
  return !a.only?.length || !b.only?.length || a.only.some(id => b.only!.includes(id))
}

/**
 * Prepared patterns, and for each other list of patterns that they were compared with, whether they
 * meet.
 */
type Known = { number: number; size: number; pages: Pages; met: WeakMap<Known, boolean> }

// A cache. The same patterns come from the database many times and are compared with many others
// each time. By their text, each list is prepared once, and each pair is compared once. The least
// recently used lists are removed.
const maxSize = 16_000_000
const byList = new WeakMap<readonly string[], Known>()
const byText = new Map<string, Known>()
let size = 0,
  count = 0

function knownOf(patterns: readonly string[]): Known {
  const before = byList.get(patterns)
  if (before) return before
  const text = JSON.stringify(patterns)
  const known = byText.get(text) ?? {
    number: ++count,
    size: text.length,
    pages: pagesOf(patterns),
    met: new WeakMap<Known, boolean>(),
  }
  if (byText.delete(text)) size -= known.size
  byText.set(text, known)
  size += known.size
  for (const [oldest, { size: freed }] of byText) {
    if (size <= maxSize) break
    byText.delete(oldest)
    size -= freed
  }
  byList.set(patterns, known)
  return known
}

function meet(a: readonly string[], b: readonly string[]): boolean {
  const [one, other] = [knownOf(a), knownOf(b)].sort((x, y) => x.number - y.number) as [
    Known,
    Known,
  ]
  let answer = one.met.get(other)
  if (answer === undefined) one.met.set(other, (answer = pagesMeet(one.pages, other.pages)))
  return answer
}

/** Ids of the tests that this test disturbs directly. */
export const rivalsOf = (test: Excluding, tests: readonly Excluding[]): string[] =>
  tests.filter(other => disturbs(test, other)).map(({ id }) => id)

/**
 * The layers: sets of two or more tests that are connected because they disturb each other,
 * directly or through other tests. In the order of their first test.
 */
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
