import type { ScriptChange } from '../script/script-config.ts'

/**
 * Rules for the markup of a change. A change may alter what a page shows, but it must not bring
 * code, because a test runs for weeks on pages that shoppers trust. The rules take elements and
 * attributes that a parser has found (engine/drafts/change-problems.ts); nothing here parses
 * markup.
 */
export type MarkupElement = { tag: string; attributes: Record<string, string> }

/**
 * A selector for the elements that no change may touch: they contain code, or say where code and
 * pages come from.
 */
export const untouchable = 'script,style,link,iframe,object,embed,base,meta,animate,set'
/** A selector for the elements whose `src` is a picture or a video. */
export const pictured = 'img,picture>source,video'

const refusedElements: Record<string, string> = {
  script: '<script> would run code on the shop’s page. A change can hold text and markup only.',
  style: '<style> would change the whole page. Add a style change to an element instead.',
  link: '<link> could load styles or code from another site. Remove it.',
  iframe: '<iframe> would load a page that can run code. Use a picture or a link.',
  frame: '<frame> would load a page that can run code. Use a picture or a link.',
  base: '<base> would change where every link on the page leads.',
  meta: '<meta> belongs to the page’s head and could send visitors elsewhere.',
  object: '<object> can run code. Use a picture or a link.',
  embed: '<embed> can run code. Use a picture or a link.',
  applet: '<applet> can run code. Use a picture or a link.',
}

const addressOf = 'src and srcset belong to pictures and videos. Use <img>, <picture> or <video>.'
/**
 * Attributes that only these elements of inserted markup may have, and the message for other
 * elements.
 */
const ownAttributes: Record<string, { tags: readonly string[]; message: string }> = {
  src: { tags: ['img', 'source', 'video'], message: addressOf },
  srcset: { tags: ['img', 'source', 'video'], message: addressOf },
  type: {
    tags: ['button', 'input', 'source'],
    message: 'type says what a browser does with an element. Use it on buttons and fields only.',
  },
}

/** The first problem that forbids an element in a change, in words; null when there is none. */
export function elementProblem({ tag, attributes }: MarkupElement): string | null {
  const name = tag.toLowerCase().replace(/^.*:/, '')
  if (Object.hasOwn(refusedElements, name)) return refusedElements[name]!
  for (const [written, value] of Object.entries(attributes)) {
    const attribute = written.toLowerCase(),
      own = Object.hasOwn(ownAttributes, attribute) ? ownAttributes[attribute] : undefined
    const problem = attributeNameProblem(written) ?? valueProblem(attribute, value)
    if (problem) return problem
    if (own && !own.tags.includes(name)) return own.message
    // An animation can write attributes: <set attributeName="onclick" to="…">.
    if (attribute === 'attributename') {
      const animated =
        attributeNameProblem(value.trim()) ??
        (/href$/i.test(value.trim())
          ? 'An animation of href would change where a link leads. Remove it.'
          : null)
      if (animated) return animated
    }
  }
  return null
}

/** Attributes that Alpine, Vue, htmx, Angular, Knockout and hyperscript run as code. */
const ofFrameworks = /^([@:]|x-|v-|(data-)?(hx|ng)-|_$|data-bind$)/i

/**
 * Why a change may not bring or set this attribute (`onclick` and similar, `srcdoc`, `formaction`,
 * `http-equiv`, attributes of frameworks); null when it may.
 */
export function attributeNameProblem(attribute: string): string | null {
  if (ofFrameworks.test(attribute))
    return `${shortened(attribute)} runs as code in some themes. Remove it.`
  const name = attribute.toLowerCase().replace(/^.*:/, '')
  if (name.startsWith('on'))
    return `${shortened(attribute)} would run code on the shop’s page. Remove it.`
  if (name === 'srcdoc')
    return 'srcdoc would load a page that can run code. Use a link or a picture.'
  if (name === 'formaction')
    return 'formaction could send what visitors enter to another site. Remove it.'
  if (name === 'http-equiv') return 'http-equiv could send visitors to another site. Remove it.'
  return null
}

/**
 * Why a change may not set this attribute on an element of the page; null when it may. Stricter
 * than for inserted markup: `type` and `attributeName` can turn the element into something else.
 */
export function attributeChangeProblem(attribute: string): string | null {
  if (!isAttributeName(attribute)) return 'This is not the name of an attribute.'
  const name = attribute.toLowerCase()
  if (name === 'type')
    return 'type says what a browser does with an element. A change cannot set it.'
  if (name === 'attributename')
    return 'attributeName says what an animation changes. A change cannot set it.'
  return attributeNameProblem(attribute)
}

/**
 * Why `src` or `srcset` may not be set on elements of these types; null when they may. `tags` is
 * empty when the selector names no type.
 */
export const addressProblem = (attribute: string, tags: readonly string[]): string | null =>
  /^src(set)?$/i.test(attribute) &&
  tags.some(tag => !ownAttributes['src']!.tags.includes(tag.toLowerCase()))
    ? addressOf
    : null

/**
 * Problems in the name and value of a change, by field. Markup and selectors need a parser, so they
 * are checked elsewhere (engine/drafts/change-problems.ts).
 */
export function partProblems({
  kind,
  name,
  value,
}: Pick<ScriptChange, 'kind' | 'name' | 'value'>): { field: 'name' | 'value'; message: string }[] {
  const attribute = kind === 'attribute' ? name.trim() : ''
  const told = {
    name: attribute ? attributeChangeProblem(attribute) : null,
    value:
      kind === 'style'
        ? cssProblem(value)
        : kind === 'attribute'
          ? valueProblem(attribute.toLowerCase(), value)
          : kind === 'image'
            ? attributeValueProblem(value)
            : null,
  }
  return (['name', 'value'] as const).flatMap(field =>
    told[field] === null ? [] : [{ field, message: told[field] }],
  )
}

const valueProblem = (attribute: string, value: string): string | null =>
  attributeValueProblem(value) ??
  (attribute === 'style' ? cssProblem(value) : attribute === 'action' ? actionProblem(value) : null)

/**
 * A form may only be sent to a path of the shop. Browsers ignore control characters in an address,
 * so they are removed first.
 */
const actionProblem = (value: string): string | null =>
  /^(\/(?![/\\])|[?#]|$)/.test(value.replace(/[\u0000-\u0020]/g, ''))
    ? null
    : 'A form can be sent only to your shop. Enter a path, for example /cart.'

/** Whether a backslash comes before a bracket: CSS escapes can spell url( with other characters. */
const hasEscapedCall = (value: string): boolean => {
  const escape = value.indexOf('\\')
  return escape >= 0 && value.includes('(', escape)
}

/**
 * Forbids CSS that loads files: `@import`, and any url() other than a path of the shop, a fragment
 * of the page (#…) or a data:image. Also forbids escapes that may spell url(), and image functions
 * that load files without url().
 */
export const cssProblem = (value: string): string | null =>
  hasEscapedCall(value) ||
  /@import|(image|-set|src)\(|url\((?!\s*["']?(\/[\w.%-]|#|data:image\/))/i.test(value)
    ? 'CSS cannot load files from another site. Use url() with a path of your shop, for example url(/cdn/oak.png).'
    : null

/**
 * The problem with an attribute's value that is an address which runs code, in any spelling; null
 * for other values.
 */
export function attributeValueProblem(value: string): string | null {
  // Browsers skip control characters and spaces in an address; animations list several values.
  const addresses = value
    .split(/[;,]/)
    .concat(value)
    .map(part => part.replace(/[\u0000-\u0020\u007f-\u00a0\u2028\u2029]/g, '').toLowerCase())
  const scheme = [
    'javascript:',
    'vbscript:',
    'data:text/html',
    'data:image/svg+xml,<script',
    'data:application/xhtml',
  ].find(each => addresses.some(address => address.startsWith(each)))
  return scheme
    ? `An address that begins with ${scheme} would run code. Use an address that begins with https:// or /.`
    : null
}

/** Whether a text can be the name of an attribute. */
export const isAttributeName = (name: string): boolean =>
  /^[^\s"'<>/=\u0000-\u001f\u007f]+$/.test(name)

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text)
