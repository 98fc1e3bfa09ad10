import type { TestKind } from './test-kind.ts'
import { matchesPattern } from './url-pattern.ts'

/**
 * Which tests could disturb each other (field.md): same template, same address, a template and an address on one page,
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
  return a.pages.some(one => b.pages.some(other => patternsMeet(one, other)))
}

function sharesTemplate(a: Excluding, b: Excluding): boolean {
  if (!a.templates?.some(name => b.templates?.includes(name))) return false
  return !a.only?.length || !b.only?.length || a.only.some(id => b.only!.includes(id))
}

/**
 * Whether some page fits both patterns as matchesPattern reads them: `*` is any run of characters; case, a closing slash
 * and the encoding do not matter, nor does the query where one of the two names none.
 */
export function patternsMeet(a: string, b: string): boolean {
  const isPathAlone = [a, b].some(pattern => !pattern.includes('?'))
  const [x, y] = [a, b].map(pattern =>
    plain(isPathAlone ? pattern.replace(/[?#].*/, '') : pattern),
  ) as [string, string]
  // Where one is an address itself there is nothing to search for: hundreds of pages are compared in no time.
  if (!x.includes('*')) return matchesPattern(y, x)
  if (!y.includes('*')) return matchesPattern(x, y)
  // reach[j]: whether what is read of x so far, and the first j signs of y, can stand for one text.
  let reach = startOf(y)
  for (const sign of x) {
    const next = Array.from({ length: y.length + 1 }, () => false)
    next[0] = reach[0]! && sign === '*'
    for (let j = 1; j <= y.length; j++) {
      const other = y[j - 1]!
      // A star stands for nothing, or for what the other pattern has here as well.
      next[j] =
        sign === '*' || other === '*' ? reach[j]! || next[j - 1]! : reach[j - 1]! && sign === other
    }
    reach = next
  }
  return reach[y.length]!
}

function plain(pattern: string): string {
  const bare = pattern.replace(/(.)\/$/, '$1')
  try {
    return decodeURI(bare).toLowerCase()
  } catch {
    return bare.toLowerCase()
  }
}

function startOf(pattern: string): boolean[] {
  const reach = [true]
  for (const sign of pattern) reach.push(reach.at(-1)! && sign === '*')
  return reach
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
