/**
 * Reads a page that may interfere: a form with a field called "parentElement" or "id" hides its own
 * properties of these names, so everything is read by the getters of the prototypes.
 */
const reader = <T>(prototype: object, name: string): ((node: Node) => T) => {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name)!
  return node => get!.call(node) as T
}
export const parentOf = reader<Element | null>(Node.prototype, 'parentElement')
export const childrenOf = (element: Element): Element[] => [
  ...reader<HTMLCollection>(Element.prototype, 'children')(element),
]
export const documentOf = reader<Document>(Node.prototype, 'ownerDocument')
export const tagOf = reader<string>(Element.prototype, 'localName')
export const htmlOf = reader<string>(Element.prototype, 'innerHTML')
export const attributesOf = (element: Element): Attr[] => [
  ...reader<NamedNodeMap>(Element.prototype, 'attributes')(element),
]
export const attributeOf = (element: Element, name: string): string | null =>
  Element.prototype.getAttribute.call(element, name)
export const boxOf = (element: Element): DOMRect =>
  Element.prototype.getBoundingClientRect.call(element)
export const classesOf = (element: Element): string[] => [
  ...new Set((attributeOf(element, 'class') ?? '').split(/\s+/).filter(Boolean)),
]
export const matches = (element: Element, selector: string): boolean =>
  Element.prototype.matches.call(element, selector)

/**
 * The text that a person reads in an element, in one line. Text inside scripts and styles is left
 * out.
 */
export function textOf(element: Element): string {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let text = ''
  while (walker.nextNode()) {
    const { parentNode, nodeValue } = walker.currentNode
    if (!(parentNode instanceof Element && unread.has(tagOf(parentNode)))) text += nodeValue
  }
  return text.replace(/\s+/g, ' ').trim()
}
const unread = new Set(['script', 'style', 'template', 'noscript'])

/** Elements that the picker and the preview insert themselves. */
export const ownTags = ['twinshelf-picker', 'twinshelf-preview']
const unseen = new Set([
  ...ownTags,
  'script',
  'style',
  'link',
  'meta',
  'template',
  'noscript',
  'head',
  'title',
  'base',
  'br',
  'wbr',
  'source',
  'track',
  'param',
])

/** Something a person could point at. */
export function isPickable(element: Element): boolean {
  if (
    element === document.documentElement ||
    element === bodyOf(document) ||
    unseen.has(tagOf(element))
  )
    return false
  const { width, height } = boxOf(element)
  return width > 0 && height > 0
}

/**
 * All elements that a selector finds, except those that we inserted; null when it is not a valid
 * selector.
 */
export function findAll(selector: string, root: ParentNode = document): Element[] | null {
  try {
    const prototype = root instanceof Document ? Document.prototype : Element.prototype
    return [...prototype.querySelectorAll.call(root, selector)].filter(
      element => !ownTags.includes(tagOf(element)),
    )
  } catch {
    return null
  }
}

/** The page's body, which holds all that is shown. `page` may be the copy of picker-before.ts. */
export const bodyOf = (page: Document): HTMLElement =>
  reader<HTMLElement>(Document.prototype, 'body')(page)
