import {
  isLastingClass,
  isLastingHook,
  isLastingId,
  isLastingValue,
} from '../../domain/drafts/selector-names.ts'
import {
  attributeOf,
  attributesOf,
  bodyOf,
  childrenOf,
  classesOf,
  documentOf,
  findAll,
  matches,
  parentOf,
  tagOf,
} from './picker-document.ts'

/**
 * A selector that finds more elements than this is not offered as "all like this": it matches parts
 * that the whole page is built of.
 */
const alikeAtMost = 200
/** How many ancestors a selector may begin at, nearest first. */
const anchorsAtMost = 8
const landmarks = new Set(['header', 'nav', 'main', 'footer', 'aside', 'form', 'dialog'])

/**
 * The shortest selector that finds this element alone and will continue to do so. It tries, in this
 * order: an id that a person chose, a hook in a data attribute, classes that mean something, these
 * names inside the nearest ancestor that has one, and the element's position only when nothing else
 * is left.
 */
export function selectorOf(element: Element): string {
  const page = documentOf(element)
  const isAlone = (selector: string): boolean => {
    const found = findAll(selector, page)
    return found?.length === 1 && found[0] === element
  }
  const own = namesOf(element)
  const alone = own.find(isAlone)
  if (alone) return alone

  const anchors = anchorsOf(element)
  for (const name of [...own, tagSelector(element)])
    for (const anchor of anchors) {
      const selector = `${anchor.selector} ${name}`
      if (isAlone(selector)) return selector
    }
  for (const { selector, element: anchor } of anchors) {
    const path = pathFrom(anchor, element)
    // The last step below a named ancestor is enough when it finds the element alone. Otherwise the
    // selector gives the whole path.
    const short = `${selector} ${path.at(-1)!}`
    if (isAlone(short)) return short
    const long = [selector, ...path].join(' > ')
    if (isAlone(long)) return long
  }
  return ['body', ...pathFrom(bodyOf(page), element)].join(' > ')
}

/**
 * A selector that finds the element and others like it; '' when nothing shows that there are
 * others.
 */
export function alikeOf(element: Element): string {
  const page = documentOf(element),
    body = bodyOf(page)
  const isShared = (selector: string): boolean => {
    const found = findAll(selector, page)
    return (
      found !== null && found.length > 1 && found.length <= alikeAtMost && found.includes(element)
    )
  }
  const shared = namesOf(element).find(isShared)
  if (shared) return shared
  const tag = tagSelector(element)
  for (let above = parentOf(element); above && above !== body; above = parentOf(above)) {
    const found = namesOf(above)
      .map(name => `${name} ${tag}`)
      .find(isShared)
    if (found) return found
  }
  return ''
}

/** Selectors made from the element's own names, best first. */
function namesOf(element: Element): string[] {
  const tag = tagSelector(element)
  const id = attributeOf(element, 'id')
  const classes = classesOf(element)
    .filter(isLastingClass)
    .map(name => `.${CSS.escape(name)}`)
  const hooks = attributesOf(element)
    .filter(({ name }) => isLastingHook(name))
    .map(({ name, value }) =>
      value === ''
        ? `[${CSS.escape(name)}]`
        : isLastingValue(value)
          ? `[${CSS.escape(name)}="${CSS.escape(value)}"]`
          : '',
    )
  const field = matches(element, 'input,select,textarea,button,form')
    ? attributeOf(element, 'name')
    : null
  const pairs = classes.flatMap((one, i) => classes.slice(i + 1).map(other => one + other))
  return [
    ...(id && isLastingId(id) ? [`#${CSS.escape(id)}`] : []),
    ...hooks,
    ...classes,
    ...(field && isLastingValue(field) ? [`${tag}[name="${CSS.escape(field)}"]`] : []),
    ...pairs,
    ...classes.map(name => tag + name),
  ].filter(Boolean)
}

/**
 * Ancestors that a selector finds alone, nearest first. Landmarks of the page may be found by their
 * tag.
 */
function anchorsOf(element: Element): { selector: string; element: Element }[] {
  const anchors: { selector: string; element: Element }[] = [],
    page = documentOf(element),
    body = bodyOf(page)
  for (
    let above = parentOf(element);
    above && above !== body && anchors.length < anchorsAtMost;
    above = parentOf(above)
  ) {
    const names = landmarks.has(tagOf(above))
      ? [...namesOf(above), tagSelector(above)]
      : namesOf(above)
    const selector = names.find(name => findAll(name, page)?.length === 1)
    if (selector) anchors.push({ selector, element: above })
  }
  return anchors
}

/**
 * The steps from an ancestor down to the element, each by its position among siblings with the same
 * tag.
 */
function pathFrom(ancestor: Element, element: Element): string[] {
  const path: string[] = []
  for (let at: Element | null = element; at && at !== ancestor; at = parentOf(at))
    path.unshift(placeOf(at))
  return path
}

function placeOf(element: Element): string {
  const parent = parentOf(element)
  const tag = tagOf(element)
  const alike = parent ? childrenOf(parent).filter(child => tagOf(child) === tag) : [element]
  return alike.length > 1
    ? `${tagSelector(element)}:nth-of-type(${alike.indexOf(element) + 1})`
    : tagSelector(element)
}

const tagSelector = (element: Element): string => CSS.escape(tagOf(element))
