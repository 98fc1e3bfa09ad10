import { elementProblem, partProblems } from '../../domain/drafts/safe-html.ts'
import type { ScriptChange } from '../../domain/script/script-config.ts'

/**
 * Whether a change that the editor asks to show would be refused when it is saved. Its markup is
 * parsed in a separate document, where nothing runs or loads.
 */
export function holdsCode(change: ScriptChange): boolean {
  const { kind, value } = change
  return (
    partProblems(change).length > 0 ||
    (['html', 'insertBefore', 'insertAfter'].includes(kind) &&
      elementsIn(markup(value)).some(
        element =>
          elementProblem({
            tag: element.localName,
            attributes: Object.fromEntries(
              [...element.attributes].map(({ name, value }) => [name, value]),
            ),
          }) !== null,
      ))
  )
}

/** How many characters are parsed at most, in all passes together. */
const readLimit = 20_000_000

/**
 * An element begins with "<" and a letter. Inside a text, a comment or an attribute it is no
 * element yet, but some place in a page would make one of it. So the value is also parsed from each
 * "<" with a letter.
 */
function markup(value: string): ParentNode {
  const { body } = document.implementation.createHTMLDocument('')
  let read = 0
  for (const at of [0, ...[...value.matchAll(/<[a-z]/gi)].map(({ index }) => index)]) {
    const template = document.createElement('template')
    template.innerHTML = value.slice(at)
    body.append(template)
    // Only deeply nested tags take this long. The change then counts as code and is not shown.
    if ((read += value.length - at) > readLimit) template.innerHTML = '<script></script>'
    if (read > readLimit) break
  }
  return body
}

const elementsIn = (root: ParentNode): Element[] =>
  [...root.querySelectorAll('*')].flatMap(element => [
    element,
    ...(element.localName === 'template'
      ? elementsIn((element as HTMLTemplateElement).content)
      : []),
  ])
