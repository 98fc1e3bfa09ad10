/**
 * What the markup of a change may hold. A shop's page is the merchant's own, but a test is built in an hour and runs
 * for weeks under somebody else's eyes: it may change what a page shows, not bring code along. Said of elements and
 * attributes as a parser found them (engine/change-problems.ts); nothing here reads markup.
 */
export type MarkupElement = { tag: string; attributes: Record<string, string> }

const refusedElements: Record<string, string> = {
  script: '<script> would run code on the shop’s page. A change may hold text and markup only.',
  base: '<base> would turn every link of the page elsewhere.',
  meta: '<meta> belongs to the page’s head and could send visitors elsewhere.',
  object: '<object> may bring code along. Use a picture or a link.',
  embed: '<embed> may bring code along. Use a picture or a link.',
  applet: '<applet> may bring code along. Use a picture or a link.',
}

/** The first thing in an element that a change may not hold, in words; null when there is none. */
export function elementProblem({ tag, attributes }: MarkupElement): string | null {
  const name = tag.toLowerCase().replace(/^.*:/, '')
  if (Object.hasOwn(refusedElements, name)) return refusedElements[name]!
  for (const [attribute, value] of Object.entries(attributes)) {
    const problem = attributeNameProblem(attribute) ?? attributeValueProblem(value)
    if (problem) return problem
  }
  // An animation writes attributes of its own: <set attributeName="onclick" to="…">.
  const animated = Object.entries(attributes).find(([attribute]) => attribute.toLowerCase() === 'attributename')?.[1]
  return animated === undefined ? null : attributeNameProblem(animated.trim())
}

/** Of an attribute that a change brings or sets: `onclick` and its like, `srcdoc`, `http-equiv`. */
export function attributeNameProblem(attribute: string): string | null {
  const name = attribute.toLowerCase().replace(/^.*:/, '')
  if (name.startsWith('on')) return `${shortened(attribute)} would run code on the shop’s page. Leave it out.`
  if (name === 'srcdoc') return 'srcdoc would bring a page with code along. Use a link or a picture.'
  if (name === 'http-equiv') return 'http-equiv could send visitors elsewhere. Leave it out.'
  return null
}

/** Of what an attribute says: an address that is code, however it is written. */
export function attributeValueProblem(value: string): string | null {
  // Browsers skip control characters and spaces in an address; animations list several values.
  const addresses = value.split(/[;,]/).concat(value).map(part => part.replace(/[\u0000-\u0020\u007f-\u00a0\u2028\u2029]/g, '').toLowerCase())
  const scheme = ['javascript:', 'vbscript:', 'data:text/html', 'data:image/svg+xml,<script', 'data:application/xhtml'].find(each => addresses.some(address => address.startsWith(each)))
  return scheme ? `An address that begins with ${scheme} would run code. Use an address that begins with https:// or /.` : null
}

/** Names an attribute may have at all. */
export const isAttributeName = (name: string): boolean => /^[^\s"'<>/=\u0000-\u001f\u007f]+$/.test(name)

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text)
