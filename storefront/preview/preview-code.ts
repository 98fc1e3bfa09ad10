import { elementProblem, partProblems } from '../../domain/drafts/safe-html.ts'
import type { ScriptChange } from '../../domain/script/script-config.ts'

/** Whether a change that the editor asks to be shown would be refused when it is saved. Its markup is read in a document of its own, where nothing runs or loads. */
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

/** Characters. */
const readLimit = 20_000_000

/** An element begins with "<" and a letter: wherever that stands, in text, a comment or an attribute, some place makes an element of it. */
function markup(value: string): ParentNode {
  const { body } = document.implementation.createHTMLDocument('')
  let read = 0
  for (const at of [0, ...[...value.matchAll(/<[a-z]/gi)].map(({ index }) => index)]) {
    const template = document.createElement('template')
    template.innerHTML = value.slice(at)
    body.append(template)
    // Only tags within tags within tags take so long: they are not shown.
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
