import { lexer, type CssNode, type Selector, type SelectorList, parse, walk } from 'css-tree'
import type { DomAction, DomSelector } from '../../domain/drafts/dom-selector.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import {
  addressProblem,
  elementProblem,
  partProblems,
  untouchable,
} from '../../domain/drafts/safe-html.ts'
import { notASelector, slowSelector, wholePage } from '../../domain/drafts/selector.ts'
import { type MarkupReader, markupReader } from './markup.ts'

/**
 * Finds what is not allowed in the changes of a page element test, each with its field
 * ("domSelectors.0.actions.2.value"): invalid selectors, selectors for the whole page, and markup
 * or attributes that would run code. A missing value is no problem here, because an unfinished
 * draft may be stored.
 */
export function changeProblems(
  domSelectors: readonly Pick<DomSelector, 'actions'>[],
): FieldProblem[] {
  const read = markupReader()
  return domSelectors.flatMap(({ actions }, i) =>
    actions.flatMap((action, j) =>
      actionProblems(action, read).map(({ field, message }) => ({
        field: `domSelectors.${i}.actions.${j}.${field}`,
        message,
      })),
    ),
  )
}

/**
 * The problems of one change, with the change's own field names. `read`: pass the same reader for
 * all changes of a draft.
 */
export function actionProblems(
  { selector, kind, name, value }: DomAction,
  read: MarkupReader = markupReader(),
): FieldProblem[] {
  const at = (field: string, message: string | null): FieldProblem[] =>
    message === null ? [] : [{ field, message }]
  const problems = [
    ...at('selector', selector.trim() ? selectorProblem(selector) : null),
    ...partProblems({ kind, name, value }),
  ]
  switch (kind) {
    case 'html':
    case 'insertBefore':
    case 'insertAfter':
      return [...problems, ...at('value', markupProblem(value, read))]
    case 'attribute':
      return [...problems, ...at('name', addressProblem(name.trim(), typesOf(selector)))]
    case 'move':
      return [...problems, ...at('value', value.trim() ? selectorProblem(value) : null)]
    default:
      return problems
  }
}

const unreadable =
  'This HTML cannot be checked: it has tags that never end, or tags with too many attributes. Make it simpler.'
function markupProblem(markup: string, read: MarkupReader): string | null {
  const elements = read(markup)
  return elements ? firstOf(elements, elementProblem) : unreadable
}

function firstOf<T>(items: T[], problem: (item: T) => string | null): string | null {
  for (const item of items) {
    const found = problem(item)
    if (found) return found
  }
  return null
}

/** What is wrong with a selector, as a sentence. Returns null for a selector that is allowed. */
export function selectorProblem(text: string): string | null {
  // The parser accepts selectors that browsers refuse; the grammar does not.
  if (!lexer.matchType('complex-selector-list', text).matched) return notASelector
  const list = parsed(text)
  if (!list) return notASelector
  const selectors = selectorsOf(list)
  if (
    selectors.some(selector =>
      partsOf(selector).some(
        part =>
          part.type === 'PseudoElementSelector' ||
          (part.type === 'TypeSelector' && part.name.includes('|')),
      ),
    )
  )
    return notASelector
  if (selectors.some(namesPage)) return wholePage
  if (isSlow(list)) return slowSelector
  if (
    selectors.some(selector =>
      last(selector).some(
        part => part.type === 'TypeSelector' && outOfReach.has(part.name.toLowerCase()),
      ),
    )
  )
    return 'A change cannot be made to scripts, styles, frames or the page’s head.'
  return null
}

const outOfReach = new Set([...untouchable.split(','), 'head', 'noscript', 'title'])
const whole = new Set(['html', 'body', '*'])

function parsed(text: string): SelectorList | null {
  try {
    const list = parse(text, { context: 'selectorList' })
    return list.type === 'SelectorList' ? list : null
  } catch {
    return null
  }
}

/** The tag names that a selector gives for the elements it finds. */
const typesOf = (text: string): string[] => {
  const list = parsed(text)
  return list
    ? selectorsOf(list).flatMap(selector =>
        last(selector).flatMap(part =>
          part.type === 'TypeSelector' && part.name !== '*' ? [part.name] : [],
        ),
      )
    : []
}

/** Limits for one selector list: each of these makes a browser backtrack, on every element. */
const mostOf = { has: 2, siblings: 2, descendants: 12 }
function isSlow(list: SelectorList): boolean {
  const count = { has: 0, siblings: 0, descendants: 0 }
  walk(list, node => {
    if (node.type === 'PseudoClassSelector' && node.name.toLowerCase() === 'has') count.has++
    if (node.type === 'Combinator' && node.name === '~') count.siblings++
    if (node.type === 'Combinator' && node.name === ' ') count.descendants++
  })
  return (
    count.has > mostOf.has ||
    count.siblings > mostOf.siblings ||
    count.descendants > mostOf.descendants
  )
}

const selectorsOf = (list: SelectorList): Selector[] =>
  list.children.toArray().filter(child => child.type === 'Selector')
const partsOf = (selector: Selector): CssNode[] => selector.children.toArray()

/** "body .a > *" as [["body"], [".a"], ["*"]]. */
function compounds(selector: Selector): CssNode[][] {
  const found: CssNode[][] = [[]]
  for (const part of partsOf(selector)) {
    if (part.type === 'Combinator') found.push([])
    else found.at(-1)!.push(part)
  }
  return found
}
const last = (selector: Selector): CssNode[] => compounds(selector).at(-1)!

/**
 * True if the selector finds the page itself or everything on it: no part of it says which element
 * is meant.
 */
function namesPage(selector: Selector): boolean {
  const target = last(selector)
  if (
    target.some(
      part =>
        (part.type === 'TypeSelector' && ['html', 'body'].includes(part.name.toLowerCase())) ||
        (part.type === 'PseudoClassSelector' && part.name.toLowerCase() === 'root'),
    )
  )
    return true
  return compounds(selector).every(parts => !parts.some(saysWhich))
}

function saysWhich(part: CssNode): boolean {
  switch (part.type) {
    case 'TypeSelector':
      return !whole.has(part.name.toLowerCase())
    case 'IdSelector':
    case 'ClassSelector':
    case 'AttributeSelector':
      return true
    case 'PseudoClassSelector': {
      const name = part.name.toLowerCase()
      if (name !== 'is' && name !== 'where') return /^(nth-|first-|last-|only-)/.test(name)
      const inner = part.children?.toArray().find(child => child.type === 'SelectorList')
      return inner?.type === 'SelectorList' && selectorsOf(inner).every(each => !namesPage(each))
    }
    default:
      return false
  }
}
