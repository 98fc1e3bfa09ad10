import type { Rgba } from './brand-reader-colours.ts'

/**
 * Limits for one page, above what any theme needs. What comes after them on a page only repeats it.
 */
const maxElements = 6_000,
  maxFaces = 500,
  maxRules = 60_000,
  maxSheets = 60

/** How an element looks at rest, as the browser computes it; lengths in CSS pixels. */
export type RawLook = {
  isHidden: boolean
  family: string
  fontSize: number
  fontWeight: number
  fontStyle: string
  /** Null for `normal`. */
  lineHeight: number | null
  colour: Rgba
  background: Rgba
  /** Top, right, bottom, left. */
  borders: { width: number; colour: Rgba }[]
  radius: { value: number; isShare: boolean }
  padding: [top: number, right: number, bottom: number, left: number]
  minHeight: number
  isUnderlined: boolean
}
/** Bit flags: which selectors of the reader an element matches. */
export const is = {
  button: 1,
  calledButton: 2,
  addsToCart: 4,
  main: 8,
  runningText: 16,
  label: 32,
  text: 64,
  picture: 128,
} as const
const selectors: Record<Exclude<keyof typeof is, 'calledButton'>, string> = {
  button: 'button, input[type="submit"], input[type="button"], [role="button"], a[href]',
  addsToCart:
    'form[action*="/cart/add"] [type="submit"], form[action*="/cart/add"] button:not([type="button"])',
  main: 'main, [role="main"], #main',
  runningText: 'main p, main li, [role="main"] p, #main p',
  label: 'label, legend',
  text: 'h1, h2, h3, h4, h5, h6, p, li, a, button, label, legend, span, strong, em, td, th, dt, dd, input, select, blockquote, figcaption, summary',
  picture: 'img, picture, svg',
}
export type RawFace = {
  family: string
  style: string
  weight: string
  /**
   * Address of the stylesheet that declares the face. Null when the page itself declares it; the
   * word `closed` when a stylesheet of the list `closed` does.
   */
  sheet: string | null
}
export type RawPage = {
  /**
   * In document order: index of the parent (-1 without one), tag name, bits of `is`, length of the
   * element's own text, handle of the product that it links to, index of its look in `looks`.
   */
  elements: [
    parent: number,
    name: string,
    bits: number,
    words: number,
    product: string,
    look: number,
  ][]
  looks: RawLook[]
  faces: RawFace[]
  /** Addresses of the stylesheets that the page names. */
  sheets: string[]
  /**
   * Stylesheets whose rules a script cannot read: they are on another host, or they did not load.
   */
  closed: string[]
}

/**
 * The script that reads a page and returns a `RawPage` as JSON. It runs in an isolated world, which
 * the page's scripts do not reach. A page can still hide properties of documents and forms through
 * the names of its elements (`<img name="styleSheets">`), so the script takes every property from
 * the prototypes.
 */
export const snapshot = `(() => {
  const getter = (of, name) => { const { get } = Object.getOwnPropertyDescriptor(of.prototype, name); return each => get.call(each) }
  const firstChild = getter(Node, 'firstChild'), nextSibling = getter(Node, 'nextSibling'), parentNode = getter(Node, 'parentNode'), nodeValue = getter(Node, 'nodeValue'), nodeType = getter(Node, 'nodeType')
  const localName = getter(Element, 'localName'), styleSheets = getter(Document, 'styleSheets'), fonts = getter(Document, 'fonts'), root = getter(Document, 'documentElement')(document)
  const attribute = (element, name) => Element.prototype.getAttribute.call(element, name)
  const matches = (element, selector) => Element.prototype.matches.call(element, selector)
  // Finish animations, or cancel endless ones: halfway through, an element does not look as it does
  // at rest.
  for (const animation of Document.prototype.getAnimations.call(document)) try { animation.finish() } catch { animation.cancel() }

  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true }), colours = new Map()
  const toRgba = text => {
    const [, r, g, b, a = 1] = /^rgba?\\(([\\d.]+), ([\\d.]+), ([\\d.]+)(?:, ([\\d.]+))?\\)$/.exec(text) ?? []
    if (r !== undefined) return [+r, +g, +b, +a]
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = '#000'
    canvas.fillStyle = text
    canvas.fillRect(0, 0, 1, 1)
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data
    return [red, green, blue, alpha / 255]
  }
  const colour = text => { if (!colours.has(text)) colours.set(text, toRgba(text)); return colours.get(text) }
  const px = text => Math.round((parseFloat(text) || 0) * 100) / 100
  /** The computed value, not the used one: null for auto and the like. */
  const declared = (element, name) => { const value = Element.prototype.computedStyleMap.call(element).get(name); return value instanceof CSSUnitValue ? { value: value.value, unit: value.unit } : null }
  const length = (element, name) => { const value = declared(element, name); return value?.unit === 'px' ? value.value : 0 }
  const isTiny = element => { const width = declared(element, 'width'); return width !== null && (width.unit === 'px' ? width.value <= 1 : width.unit === 'percent' && width.value <= 0.1) }
  const lookOf = (element, isButton) => {
    const style = getComputedStyle(element)
    const [, quoted, plain = ''] = /^\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^,]*))/.exec(style.fontFamily) ?? []
    const radius = style.borderTopLeftRadius.split(' ')[0]
    return {
      // The last condition finds text that is only for screen readers.
      isHidden: style.display === 'none' || style.visibility !== 'visible' || (style.position === 'absolute' && isTiny(element)),
      family: (quoted ?? plain.trim()).slice(0, 100), fontSize: px(style.fontSize), fontWeight: Math.round(Number(style.fontWeight)) || 400, fontStyle: style.fontStyle.split(' ')[0],
      lineHeight: style.lineHeight === 'normal' ? null : px(style.lineHeight),
      colour: colour(style.color), background: colour(style.backgroundColor),
      borders: ['Top', 'Right', 'Bottom', 'Left'].map(side => {
        const own = colour(style['border' + side + 'Color'])
        return { width: own[3] === 0 ? 0 : px(style['border' + side + 'Width']), colour: own }
      }),
      radius: { value: px(radius), isShare: radius.endsWith('%') },
      padding: ['Top', 'Right', 'Bottom', 'Left'].map(side => px(style['padding' + side])),
      minHeight: isButton ? Math.max(length(element, 'min-height'), length(element, 'height')) : 0,
      isUnderlined: style.textDecorationLine.includes('underline'),
    }
  }
  const wordsOf = element => {
    let text = ''
    for (let node = firstChild(element); node && text.length < 10_000; node = nextSibling(node)) if (nodeType(node) === 3) text += nodeValue(node).slice(0, 10_000)
    return text.trim().length
  }
  const bits = ${JSON.stringify(is)}, questions = Object.entries(${JSON.stringify(selectors)})
  const named = /(^|[-_\\s])(btn|button|cta)([-_\\s]|$)/i, handle = /^(?:https?:\\/\\/[^/]+)?(?:\\/[a-z]{2}(?:-[a-z]+)?)?(?:\\/collections\\/[^/]+)?\\/products\\/([^/.?#]+)/i
  const indexes = new Map(), known = new Map(), elements = [], looks = []
  const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_ELEMENT, element => (localName(element) === 'head' ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT))
  for (let element = root; element && elements.length < ${maxElements}; element = walker.nextNode()) {
    let own = 0
    for (const [name, selector] of questions) if (matches(element, selector)) own |= bits[name]
    if (named.test((attribute(element, 'class') ?? '').slice(0, 2_000))) own |= bits.calledButton
    const look = lookOf(element, Boolean(own & bits.button)), key = JSON.stringify(look)
    if (!known.has(key)) { known.set(key, looks.length); looks.push(look) }
    const product = localName(element) === 'a' ? handle.exec((attribute(element, 'href') ?? '').slice(0, 2_000))?.[1] ?? '' : ''
    indexes.set(element, elements.length)
    elements.push([indexes.get(parentNode(element)) ?? -1, localName(element), own, wordsOf(element), product.slice(0, 200), known.get(key)])
  }

  const faces = [], sheets = [], kept = new Set()
  let rulesLeft = ${maxRules}
  const unquoted = text => text.trim().replace(/^(["'])(.*)\\1$/, '$2').slice(0, 200)
  const keep = (family, declaredStyle, declaredWeight, sheet) => {
    const style = (declaredStyle || 'normal').slice(0, 40), weight = (declaredWeight || '400').slice(0, 40)
    const key = [family, style, weight].join('|').toLowerCase()
    if (!family || kept.has(key) || faces.length >= ${maxFaces}) return
    kept.add(key)
    faces.push({ family, style, weight, sheet })
  }
  const name = (href, base) => { const url = URL.parse(href, base ?? location.href)?.href; if (url && url.length <= 2048 && sheets.length < ${maxSheets}) sheets.push(url) }
  const fits = media => !media || matchMedia(media).matches
  const closed = []
  const visitSheet = (sheet, href, depth) => {
    if (!sheet || sheet.disabled || depth > 4 || !fits(sheet.media.mediaText)) return
    let rules
    try { rules = sheet.cssRules } catch { if (href && closed.length < ${maxSheets}) closed.push(href); return }
    visitRules(rules, href, depth)
  }
  const visitRules = (rules, href, depth) => {
    for (const rule of rules) {
      if (rulesLeft-- <= 0) return
      if (rule instanceof CSSFontFaceRule) keep(unquoted(rule.style.getPropertyValue('font-family')), rule.style.getPropertyValue('font-style'), rule.style.getPropertyValue('font-weight'), href)
      else if (rule instanceof CSSImportRule) {
        if (!fits(rule.media.mediaText)) continue
        name(rule.href, href)
        visitSheet(rule.styleSheet, URL.parse(rule.href, href ?? location.href)?.href ?? href, depth + 1)
      } else if (rule instanceof CSSMediaRule ? fits(rule.media.mediaText) : rule instanceof CSSSupportsRule ? CSS.supports(rule.conditionText) : rule instanceof CSSLayerBlockRule) {
        if (depth <= 10) visitRules(rule.cssRules, href, depth + 1)
      }
    }
  }
  for (const link of Document.prototype.querySelectorAll.call(document, 'link[rel~="stylesheet"][href]')) if (attribute(link, 'disabled') === null && fits(attribute(link, 'media'))) name(attribute(link, 'href'), null)
  for (const sheet of styleSheets(document)) visitSheet(sheet, sheet.href, 0)
  for (const { family, style, weight } of fonts(document)) keep(unquoted(family), style, weight, 'closed')
  return JSON.stringify({ elements, looks, faces, sheets, closed })
})()`
