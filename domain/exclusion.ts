import { fnv1a32 } from './assignment.ts'
import type { TestKind } from './test-kind.ts'

/**
 * Which tests could disturb each other (field.md): same template, same address, a template and an address on one page,
 * a theme test and everything, an automatic API test and themes or templates. Tests on different templates or pages run
 * together freely, and so do price tests (a product is in one of them at most).
 */
export type Excluding = {
  id: string
  kind: TestKind
  /** URL patterns of the tested pages. */
  pages: readonly string[]
  /** Of a template or page content test: control's and the variant's template as pages name them. */
  templates?: readonly string[]
  /** Only these resources of the template take part; none: all. */
  only?: readonly string[]
  isManual?: boolean
}

const onTemplates = (test: Excluding): boolean => test.kind === 'Template' || test.kind === 'PageContent'
const onPages = (test: Excluding): boolean => onTemplates(test) || test.kind === 'UrlRedirect' || test.kind === 'PageElement'

/** Whether a visitor of the one could be disturbed by the other. Symmetric. */
export function disturbs(a: Excluding, b: Excluding): boolean {
  if (a.id === b.id) return false
  if (a.kind === 'Theme' || b.kind === 'Theme') return true
  if (a.kind === 'Api' || b.kind === 'Api') return [a, b].some(test => test.kind === 'Api' && !test.isManual) && [a, b].some(onTemplates)
  if (!onPages(a) || !onPages(b)) return false
  if (onTemplates(a) && onTemplates(b)) return sharesTemplate(a, b)
  return a.pages.some(one => b.pages.some(other => patternsMeet(one, other)))
}

function sharesTemplate(a: Excluding, b: Excluding): boolean {
  if (!a.templates?.some(name => b.templates?.includes(name))) return false
  return !a.only?.length || !b.only?.length || a.only.some(id => b.only!.includes(id))
}

/** Whether some path fits both patterns (`*` is any run of characters; case and a closing slash do not matter). */
export function patternsMeet(a: string, b: string): boolean {
  const [x, y] = [a, b].map(pattern => pattern.replace(/(.)\/$/, '$1').toLowerCase()) as [string, string]
  // reach[j]: whether what is read of x so far, and the first j signs of y, can stand for one text.
  let reach = startOf(y)
  for (const sign of x) {
    const next = new Array<boolean>(y.length + 1).fill(false)
    next[0] = reach[0]! && sign === '*'
    for (let j = 1; j <= y.length; j++) {
      const other = y[j - 1]!
      // A star stands for nothing, or for what the other pattern has here as well.
      next[j] = sign === '*' || other === '*' ? reach[j]! || next[j - 1]! : reach[j - 1]! && sign === other
    }
    reach = next
  }
  return reach[y.length]!
}

function startOf(pattern: string): boolean[] {
  const reach = [true]
  for (const sign of pattern) reach.push(reach.at(-1)! && sign === '*')
  return reach
}

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

/**
 * Which of a layer's tests a new visitor is given to: the one with the highest hash, so that a test that joins or leaves
 * the layer moves nobody between the others. Script and engine both ask this function.
 */
export const reservedTest = (ids: readonly string[], visitor: string): string | undefined =>
  ids.reduce<string | undefined>((best, id) => (best === undefined || reservation(id, visitor) > reservation(best, visitor) ? id : best), undefined)

/** Independent of the arm's hash: another text is hashed, and to another scale. */
const reservation = (id: string, visitor: string): number => fnv1a32(`${fnv1a32(`${visitor}/${id}`)}`)
