import type { TestKind } from './test-kind.ts'
import { type Pages, pagesMeet, pagesOf } from './patterns-meet.ts'

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
  return meet(a.pages, b.pages)
}

function sharesTemplate(a: Excluding, b: Excluding): boolean {
  if (!a.templates?.some(name => b.templates?.includes(name))) return false
  return !a.only?.length || !b.only?.length || a.only.some(id => b.only!.includes(id))
}

/** Patterns made ready, and with which others they were found to meet or not. */
type Known = { number: number; size: number; pages: Pages; met: WeakMap<Known, boolean> }

// The same patterns are read from the database again and again, and compared with many others each time: by their text
// they are made ready once, and each two are compared once. What was asked for longest ago is forgotten.
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
