import {
  attributeLimit,
  selectorLength,
  textLimit,
  type Beside,
  type Picked,
} from '../../domain/drafts/picker-message.ts'
import { isLastingClass } from '../../domain/drafts/selector-names.ts'
import { stylesBefore, twinOf } from './picker-before.ts'
import {
  attributeOf,
  attributesOf,
  classesOf,
  documentOf,
  findAll,
  htmlOf,
  parentOf,
  tagOf,
  textOf,
} from './picker-document.ts'
import { alikeOf, selectorOf } from './picker-selector.ts'
import { fontsOf, groundOf } from './picker-style.ts'

const nouns: Record<string, string> = {
  a: 'Link',
  button: 'Button',
  img: 'Picture',
  picture: 'Picture',
  svg: 'Drawing',
  video: 'Video',
  form: 'Form',
  input: 'Field',
  select: 'Choice',
  textarea: 'Field',
  label: 'Label',
  p: 'Paragraph',
  ul: 'List',
  ol: 'List',
  li: 'List item',
  table: 'Table',
  nav: 'Navigation',
  header: 'Header',
  footer: 'Footer',
  main: 'Main part',
  aside: 'Side part',
  section: 'Section',
  article: 'Article',
  figure: 'Figure',
  iframe: 'Frame',
  h1: 'Heading',
  h2: 'Heading',
  h3: 'Heading',
  h4: 'Heading',
  h5: 'Heading',
  h6: 'Heading',
}
const spoken = 40

/**
 * An element as a person would call it: "Button “Add to cart”", "Picture “Ash glaze mug”", "Block".
 */
export function labelOf(element: Element): string {
  const tag = tagOf(element)
  const noun =
    nouns[tag] ??
    (attributeOf(element, 'role') === 'button'
      ? 'Button'
      : tag.includes('-')
        ? tag.slice(0, spoken)
        : blockOf(element))
  const said = (
    attributeOf(element, 'aria-label') ||
    attributeOf(element, 'alt') ||
    attributeOf(element, 'placeholder') ||
    textOf(element)
  )
    .replace(/\s+/g, ' ')
    .trim()
  return said ? `${noun} “${said.length > spoken ? `${said.slice(0, spoken)}…` : said}”` : noun
}

/** Blocks contain other blocks with the same text, so a class name tells them apart. */
function blockOf(element: Element): string {
  const name = classesOf(element).find(isLastingClass)
  return name ? `Block .${name}` : 'Block'
}

/**
 * Everything that the editor is told about a picked element: as it is in the control, whatever
 * changes are shown.
 */
export function pickedOf(shown: Element): Picked {
  const element = twinOf(shown),
    page = documentOf(element)
  const selector = selectorOf(element)
  const alike = alikeOf(element)
  const html = htmlOf(element)
  return {
    selector: selector.slice(0, selectorLength),
    count: findAll(selector, page)?.length ?? -1,
    alike: alike.length > selectorLength ? '' : alike,
    alikeCount: alike ? (findAll(alike, page)?.length ?? -1) : 0,
    label: labelOf(element),
    tag: tagOf(element).slice(0, 100),
    text: textOf(element).slice(0, textLimit),
    html: html.length > textLimit ? '' : html.trim(),
    image: imageOf(element).slice(0, textLimit),
    attributes: attributesOf(element)
      .slice(0, attributeLimit)
      .map(({ name, value }) => ({ name: name.slice(0, 200), value: value.slice(0, textLimit) })),
    link: besideOf(tagOf(element) === 'a' ? null : linkAround(element), 'href'),
    picture: besideOf(tagOf(element) === 'img' ? null : onlyPicture(element), 'src'),
    isPlain:
      textOf(element) !== '' &&
      (findAll('*', element) ?? []).every(inner => inline.has(tagOf(inner))),
    styles: stylesBefore(shown),
    ground: groundOf(shown),
    fonts: fontsOf(),
  }
}
function linkAround(element: Element): Element | null {
  const around = parentOf(element)
  return around && tagOf(around) !== 'a' ? linkAround(around) : around
}
function onlyPicture(element: Element): Element | null {
  const [picture, other] = findAll('img', element) ?? []
  return other ? null : (picture ?? null)
}
function besideOf(element: Element | null, address: string): Beside {
  const selector = element ? selectorOf(element) : '',
    value = (name: string) =>
      (element && selector.length <= selectorLength
        ? (attributeOf(element, name) ?? '')
        : ''
      ).slice(0, textLimit)
  return {
    selector: selector.length > selectorLength ? '' : selector,
    address: value(address),
    alt: value('alt'),
  }
}
/** Elements that only format a text. */
const inline = new Set([
  'span',
  'b',
  'strong',
  'em',
  'i',
  'small',
  'u',
  's',
  'mark',
  'br',
  'wbr',
  'sup',
  'sub',
  'font',
  'bdi',
  'abbr',
])

function imageOf(element: Element): string {
  const image = tagOf(element) === 'img' ? element : findAll('img', element)?.[0]
  return image ? (attributeOf(image, 'src') ?? '') : ''
}
