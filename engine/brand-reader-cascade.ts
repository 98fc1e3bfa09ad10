import type { CheerioAPI } from 'cheerio'
import { black, over, parseColour, type Rgba, transparent, white } from './brand-reader-colours.ts'
import { longhands } from './brand-reader-longhands.ts'
import { type Declaration, parseSheet, type StyleRule } from './brand-reader-rules.ts'
import { pixels, splitTop, withVariables } from './brand-reader-values.ts'

const nodesOf = ($: CheerioAPI) => $('*')
export type PageElement = Extract<ReturnType<typeof nodesOf>[number], { attribs: object }>
/** Elements a selector finds, in the order of the page. */
export const find = ($: CheerioAPI, selector: string, within?: PageElement): PageElement[] =>
  (within ? $(within).find(selector) : $(selector)).toArray().filter((node): node is PageElement => 'attribs' in node)

/** What the reader needs to know of how an element looks, in CSS pixels. */
export type Look = {
  isHidden: boolean
  families: string[]
  fontSize: number
  fontWeight: number
  fontStyle: 'normal' | 'italic' | 'oblique'
  lineHeight: number
  colour: Rgba
  /** The element's own; see `groundOf` for what is seen behind it. */
  background: Rgba
  border: { width: number; colour: Rgba; isAllAround: boolean; isBelow: boolean }
  radius: (shorterSide: number) => number
  padding: { top: number; right: number; bottom: number; left: number }
  minHeight: number
  isUnderlined: boolean
}

// What browsers do without a stylesheet, as far as it can be seen here.
const browserRules = parseSheet(`h1{font-size:2em;font-weight:bold}h2{font-size:1.5em;font-weight:bold}h3{font-size:1.17em;font-weight:bold}
  h4,h5,h6,th{font-weight:bold}b,strong{font-weight:bolder}i,em,cite,address{font-style:italic}small{font-size:smaller}a[href]{color:#0000ee;text-decoration-line:underline}
  button,input,select,textarea{font:400 13.3333px Arial;color:#000;background-color:#efefef;border:2px solid #767676;padding:1px 6px}
  input,select,textarea{background-color:#fff}[hidden],template,script,style,head,noscript,dialog:not([open]){display:none}`).rules.map(rule => ({ ...rule, layer: -1 }))

const inherited = new Set(['color', 'font-family', 'font-size', 'font-weight', 'font-style', 'line-height', 'visibility'])
/** What inherited properties are where `initial` asks for it. */
const initial: Record<string, string> = { color: '#000000', 'font-size': '16px', 'font-weight': '400', 'font-style': 'normal', 'line-height': 'normal', visibility: 'visible' }
type Values = { own: Map<string, string>; variables: Map<string, string> }

/** Works out how elements of one page look at rest on a desktop: cascade, inheritance and variables, without layout. */
export class Cascade {
  readonly $: CheerioAPI
  readonly #rules = new Map<string, [order: number, rule: StyleRule][]>()
  readonly #values = new Map<PageElement, Values>()
  readonly #looks = new Map<PageElement, Look>()
  /** What a rem is: the root is looked at before all others. */
  #rootSize = 16

  constructor($: CheerioAPI, rules: readonly StyleRule[]) {
    this.$ = $
    for (const [order, rule] of [...browserRules, ...rules].entries()) {
      const bucket = this.#rules.get(rule.key)
      if (bucket) bucket.push([order, rule])
      else this.#rules.set(rule.key, [[order, rule]])
    }
  }

  look(element: PageElement): Look {
    // From the top down: a page may nest deeper than the stack.
    const chain: PageElement[] = []
    for (let at: PageElement | null = element; at && !this.#looks.has(at); at = parentOf(at)) chain.push(at)
    for (const each of chain.reverse()) this.#looks.set(each, this.#work(each))
    return this.#looks.get(element)!
  }

  /** The opaque colour that is seen behind an element's text. */
  groundOf(element: PageElement): Rgba {
    const layers: Rgba[] = []
    for (let at: PageElement | null = element; at && layers.at(-1)?.[3] !== 1; at = parentOf(at)) layers.push(this.look(at).background)
    return layers.reduceRight((ground, layer) => over(layer, ground), white)
  }

  /** The element that an element's words stand in: itself, or the first inside of it that has words of its own. */
  wordsOf(element: PageElement): PageElement {
    const all = [element, ...find(this.$, '*', element)]
    return all.find(each => this.ownText(each) !== '' && this.isShown(each)) ?? element
  }

  ownText(element: PageElement): string {
    return this.$(element).contents().filter((_, node) => node.type === 'text').text().trim()
  }

  isShown(element: PageElement): boolean {
    for (let at: PageElement | null = element; at; at = parentOf(at)) if (this.look(at).isHidden) return false
    return true
  }

  #work(element: PageElement): Look {
    const parent = parentOf(element)
    const above = parent ? this.look(parent) : null
    const { own } = this.#valuesOf(element)
    const root = this.#rootSize
    const upper = above?.fontSize ?? 16
    const fontSize = sizeOf(own.get('font-size'), upper, root)
    if (!parent) this.#rootSize = fontSize
    const lengthOf = (name: string, percentOf = 0): number => pixels(own.get(name) ?? '', { fontSize, rootSize: root, percentOf }) ?? 0
    const colour = parseColour(own.get('color') ?? '', above?.colour ?? black) ?? above?.colour ?? black
    const edge = (side: string) => {
      const style = own.get(`border-${side}-style`) ?? 'none'
      const edgeColour = parseColour(own.get(`border-${side}-color`) ?? 'currentcolor', colour) ?? colour
      const named = { thin: 1, medium: 3, thick: 5 }[own.get(`border-${side}-width`) ?? 'medium']
      return { width: style === 'none' || style === 'hidden' || edgeColour[3] === 0 ? 0 : named ?? lengthOf(`border-${side}-width`), colour: edgeColour }
    }
    const edges = ['top', 'right', 'bottom', 'left'].map(edge)
    const drawn = edges.filter(({ width }) => width > 0)
    return {
      // The last is how words are written for screen readers alone.
      isHidden: own.get('display') === 'none' || own.get('visibility') === 'hidden' || own.get('visibility') === 'collapse' || (own.get('position') === 'absolute' && own.has('width') && lengthOf('width', 1_000) <= 1),
      families: splitTop(own.get('font-family') ?? '', ',').map(name => name.replace(/^(["'])(.*)\1$/, '$2')).filter(Boolean),
      fontSize, colour,
      fontWeight: weightOf(own.get('font-weight') ?? '', above?.fontWeight ?? 400),
      fontStyle: (/^(italic|oblique)/.exec(own.get('font-style') ?? '')?.[1] as 'italic' | 'oblique' | undefined) ?? 'normal',
      lineHeight: lineHeightOf(own.get('line-height') ?? 'normal', fontSize, root),
      background: parseColour(own.get('background-color') ?? '', colour) ?? transparent,
      border: { width: Math.max(0, ...edges.map(({ width }) => width)), colour: (drawn[0] ?? edges[0]!).colour, isAllAround: drawn.length === 4, isBelow: edges[2]!.width > 0 && drawn.length === 1 },
      radius: shorterSide => lengthOf('border-top-left-radius', shorterSide),
      padding: { top: lengthOf('padding-top'), right: lengthOf('padding-right'), bottom: lengthOf('padding-bottom'), left: lengthOf('padding-left') },
      minHeight: Math.max(lengthOf('min-height'), lengthOf('height')),
      isUnderlined: /\bunderline\b/.test(own.get('text-decoration-line') ?? ''),
    }
  }

  /** Winning declarations as longhands, with what is inherited. */
  #valuesOf(element: PageElement): Values {
    const known = this.#values.get(element)
    if (known) return known
    const parent = parentOf(element)
    const above = parent ? this.#valuesOf(parent) : null
    const declared = this.#declared(element)
    const variables = new Map(above?.variables)
    for (const { property, value } of declared) if (property.startsWith('--')) variables.set(property, value)
    const own = new Map<string, string>()
    for (const name of inherited) {
      const value = above?.own.get(name)
      if (value !== undefined && name !== 'font-size' && name !== 'font-weight') own.set(name, value)
    }
    for (const { property, value } of declared) {
      if (property.startsWith('--')) continue
      const plain = withVariables(value, name => variables.get(name))
      if (plain === null) continue
      for (const [name, each] of longhands(property, plain)) set(own, name, each, above?.own)
    }
    const values = { own, variables }
    this.#values.set(element, values)
    return values
  }

  /** Declarations that apply, the winner of each property last. */
  #declared(element: PageElement): Declaration[] {
    const keys = ['*', element.name, ...(element.attribs['class'] ?? '').split(/\s+/).filter(Boolean).map(name => `.${name}`), ...(element.attribs['id'] ? [`#${element.attribs['id']}`] : [])]
    const found = keys.flatMap(key => this.#rules.get(key) ?? []).filter(([, { selector }]) => this.#matches(element, selector))
    found.sort(([a, one], [b, other]) => one.layer - other.layer || one.specificity - other.specificity || a - b)
    const written = element.attribs['style'] ? parseSheet(`*{${element.attribs['style']}}`).rules.flatMap(rule => rule.declarations) : []
    const all = [...found.flatMap(([, { declarations }]) => declarations), ...written]
    return [...all.filter(one => !one.isImportant), ...all.filter(one => one.isImportant)]
  }

  #matches(element: PageElement, selector: string): boolean {
    try {
      return this.$(element).is(selector)
    } catch {
      // A pseudo-class of a browser's own, or one that came after us.
      return false
    }
  }
}

export function parentOf(element: PageElement): PageElement | null {
  const parent = element.parent
  return parent && 'attribs' in parent ? parent as PageElement : null
}

/** A value that means nothing leaves the one before in place, as browsers do with what they cannot read. */
function set(own: Map<string, string>, name: string, value: string, above: Map<string, string> | undefined): void {
  const keyword = value.toLowerCase()
  if (keyword === 'inherit' || (keyword === 'unset' && inherited.has(name))) {
    const upper = above?.get(name)
    if (name === 'font-size' || name === 'font-weight' || upper === undefined) own.delete(name)
    else own.set(name, upper)
  } else if (keyword === 'initial' && initial[name]) own.set(name, initial[name])
  else if (keyword === 'initial' || keyword === 'unset' || keyword.startsWith('revert')) own.delete(name)
  else if (!(name.endsWith('color') && parseColour(value) === null)) own.set(name, value)
}

const sizeNames: Record<string, number> = { 'xx-small': 9, 'x-small': 10, small: 13, medium: 16, large: 18, 'x-large': 24, 'xx-large': 32, 'xxx-large': 48 }
function sizeOf(text: string | undefined, upper: number, rootSize: number): number {
  if (text === undefined) return upper
  if (text === 'smaller') return upper / 1.2
  if (text === 'larger') return upper * 1.2
  return sizeNames[text] ?? pixels(text, { fontSize: upper, rootSize, percentOf: upper }) ?? upper
}

function weightOf(text: string, upper: number): number {
  if (text === 'bolder') return upper < 400 ? 400 : upper < 600 ? 700 : 900
  if (text === 'lighter') return upper < 600 ? 100 : upper < 800 ? 400 : 700
  const weight = text === 'bold' ? 700 : text === 'normal' ? 400 : Number(text)
  return text !== '' && weight >= 1 && weight <= 1000 ? Math.round(weight) : upper
}

/** `normal` is about what text faces ask for. */
const lineHeightOf = (text: string, fontSize: number, rootSize: number): number =>
  text === 'normal' ? fontSize * 1.2 : /^[\d.]+$/.test(text) ? Number(text) * fontSize : pixels(text, { fontSize, rootSize, percentOf: fontSize }) ?? fontSize * 1.2
