import { type CssNode, generate, type List, parse, type Rule, type Selector } from 'css-tree'
import { fitsMedia, splitTop } from './brand-reader-values.ts'

/** A selector of a stylesheet that may apply on a desktop screen, with what it declares. */
export type StyleRule = {
  selector: string
  /** Id, class or tag that an element must have to be meant at all ('*' when none): browsers sort their rules so too. */
  key: string
  specificity: number
  /** Place of its cascade layer; rules without one come last, so that they win. */
  layer: number
  declarations: Declaration[]
}
export type Declaration = { property: string; value: string; isImportant: boolean }
export type FontFace = { family: string; style: string; weight: string }
export type Sheet = { rules: StyleRule[]; faces: FontFace[] }
/** Places of layers are given in the order they are met, in all sheets of a page together. */
export type Layers = Map<string, number>

const unlayered = 1_000_000
/** More rules than any theme needs. */
const ruleLimit = 30_000, nestedLimit = 20_000

/** What a stylesheet says, with its `@import`s (URL and media) apart. What cannot be parsed is left out, as browsers do. */
export function parseSheet(css: string, layers: Layers = new Map()): Sheet & { imports: string[] } {
  const sheet: Sheet & { imports: string[] } = { rules: [], faces: [], imports: [] }
  takeText(css, { sheet, layers, layer: '', parent: null })
  return sheet
}

function takeText(css: string, place: Place): void {
  const tree = parse(css, { parseValue: false, parseCustomProperty: false, parseAtrulePrelude: false, onParseError: () => {} })
  if (tree.type === 'StyleSheet') take(tree.children, place)
}

type Place = { sheet: Sheet & { imports: string[] }; layers: Layers; layer: string; parent: string | null }

function take(nodes: List<CssNode>, place: Place): void {
  const { sheet, layers } = place
  for (const node of nodes) {
    if (sheet.rules.length >= ruleLimit) return
    if (node.type === 'Rule') takeRule(node, place)
    // A rule within a rule that does not begin with "&" is left to us as text.
    if (node.type === 'Raw' && place.parent !== null && node.value.includes('{') && node.value.length <= nestedLimit) takeText(node.value, place)
    if (node.type !== 'Atrule') continue
    const prelude = node.prelude ? generate(node.prelude).trim() : ''
    const inside = node.block?.children
    if (node.name === 'import') {
      const imported = importOf(prelude)
      if (imported) sheet.imports.push(imported)
    } else if (node.name === 'font-face' && inside) {
      const of = (name: string) => declarationsOf(inside).find(({ property }) => property === name)?.value ?? ''
      if (of('font-family')) sheet.faces.push({ family: unquoted(of('font-family')), style: of('font-style') || 'normal', weight: of('font-weight') || '400' })
    } else if (node.name === 'layer') {
      const names = prelude ? splitTop(prelude, ',').map(name => (place.layer ? `${place.layer}.${name}` : name)) : [`${place.layer}.#${layers.size}`]
      for (const name of names) if (!layers.has(name)) layers.set(name, layers.size)
      if (inside) take(inside, { ...place, layer: names[0]! })
    } else if (inside && ((node.name === 'media' && fitsMedia(prelude)) || (node.name === 'supports' && !/^not\b/i.test(prelude)))) {
      // Within a rule, a group's bare declarations are the rule's own.
      if (place.parent !== null) addRule(place.parent, inside, place)
      take(inside, place)
    }
  }
}

function takeRule(rule: Rule, place: Place): void {
  for (const own of splitTop(generate(rule.prelude), ',')) {
    const text = place.parent === null ? own : own.includes('&') ? own.replaceAll('&', `:is(${place.parent})`) : `:is(${place.parent}) ${own}`
    addRule(text, rule.block.children, place)
    take(rule.block.children, { ...place, parent: text })
  }
}

function addRule(text: string, block: List<CssNode>, { sheet, layers, layer }: Place): void {
  const declarations = declarationsOf(block)
  if (declarations.length === 0) return
  const selector = matchable(text)
  if (selector) sheet.rules.push({ ...selector, layer: layer ? layers.get(layer)! : unlayered, declarations })
}

function declarationsOf(nodes: List<CssNode>): Declaration[] {
  return nodes.toArray().flatMap(node => {
    if (node.type === 'Declaration') return [{ property: node.property.startsWith('--') ? node.property : node.property.toLowerCase(), value: generate(node.value).trim(), isImportant: Boolean(node.important) }]
    // Bare declarations of a group within a rule, where the parser looked for rules.
    const list = node.type === 'Raw' && !node.value.includes('{') ? parse(node.value, { context: 'declarationList', parseValue: false, onParseError: () => {} }) : null
    return list?.type === 'DeclarationList' ? declarationsOf(list.children.filter(({ type }) => type === 'Declaration')) : []
  })
}

function importOf(prelude: string): string | null {
  const [, url = '', media = ''] = /^(?:url\(\s*)?["']?([^"')\s]+)["']?\s*\)?\s*(.*)$/s.exec(prelude) ?? []
  return url && fitsMedia(media.replace(/\b(layer|supports)(\([^)]*\))?/g, '').trim()) ? url : null
}

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, '$2')

// States that a page just loaded and not touched does not have.
const states = new Set(['hover', 'focus', 'focus-visible', 'focus-within', 'active', 'visited', 'target', 'autofill', 'placeholder-shown', 'popover-open', 'fullscreen', 'modal', 'open', 'user-invalid', 'user-valid'])

/** A selector that an element at rest can match, `:not(:hover)` and the like taken out; null for the others. */
function matchable(text: string): Pick<StyleRule, 'selector' | 'key' | 'specificity'> | null {
  let selector: CssNode
  try {
    selector = parse(text, { context: 'selector' })
  } catch {
    return null
  }
  if (selector.type !== 'Selector') return null
  const specificity = specificityOf(selector)
  for (const part of selector.children) if (part.type === 'PseudoElementSelector' || (part.type === 'PseudoClassSelector' && states.has(part.name))) return null
  selector.children = selector.children.filter(part => !(part.type === 'PseudoClassSelector' && part.name === 'not' && isState(part.children)))
  const selectorText = generate(selector)
  return selectorText ? { selector: selectorText, key: keyOf(selector), specificity } : null
}

const isState = (children: List<CssNode> | null): boolean => {
  const text = children?.toArray().map(child => generate(child)).join('') ?? ''
  return text !== '' && splitTop(text, ',').every(one => one.startsWith(':') && states.has(one.slice(1)))
}

/** Of the last compound, which is the element itself. */
function keyOf(selector: Selector): string {
  const parts = selector.children.toArray()
  const own = parts.slice(parts.findLastIndex(part => part.type === 'Combinator') + 1)
  const id = own.find(part => part.type === 'IdSelector'), named = own.find(part => part.type === 'ClassSelector')
  const tag = own.find(part => part.type === 'TypeSelector')
  return id ? `#${id.name}` : named ? `.${named.name}` : tag && tag.name !== '*' ? tag.name.toLowerCase() : '*'
}

/** Ids, then classes, attributes and pseudo-classes, then tags, in one number. */
function specificityOf(selector: Selector): number {
  let sum = 0
  for (const part of selector.children) {
    if (part.type === 'IdSelector') sum += 1_000_000
    else if (part.type === 'ClassSelector' || part.type === 'AttributeSelector') sum += 1_000
    else if (part.type === 'TypeSelector') sum += part.name === '*' ? 0 : 1
    else if (part.type === 'PseudoClassSelector') sum += part.name === 'where' ? 0 : ['is', 'not', 'has', 'matches'].includes(part.name) ? insideOf(part.children) : 1_000
  }
  return sum
}

const insideOf = (children: List<CssNode> | null): number => Math.max(0, ...(children?.toArray() ?? []).flatMap(child =>
  child.type === 'SelectorList' ? child.children.toArray().map(one => (one.type === 'Selector' ? specificityOf(one) : 0)) : child.type === 'Selector' ? [specificityOf(child)] : []))
