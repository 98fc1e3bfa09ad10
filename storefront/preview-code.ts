import { elementProblem, partProblems } from '../domain/safe-html.ts'
import type { ScriptChange } from '../domain/script-config.ts'

/** Whether a change that the editor asks to be shown would be refused when it is saved. Its markup is read in a document of its own, where nothing runs or loads. */
export function holdsCode(change: ScriptChange): boolean {
  const { kind, value } = change
  return partProblems(change).length > 0 || (['html', 'insertBefore', 'insertAfter'].includes(kind) && elementsIn(markup(value)).some(element =>
    elementProblem({ tag: element.localName, attributes: Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value])) }) !== null))
}

function markup(value: string): ParentNode {
  const inert = document.implementation.createHTMLDocument('')
  inert.body.innerHTML = `<template>${value}</template>`
  // Inside an SVG or a MathML element even what is text elsewhere is read as elements.
  for (const [space, name] of foreign) {
    const element = inert.createElementNS(`http://www.w3.org/${space}`, name)
    inert.body.append(element)
    element.innerHTML = value
  }
  return inert.body
}
const foreign = [['2000/svg', 'svg'], ['1998/Math/MathML', 'math']] as const

const elementsIn = (root: ParentNode): Element[] =>
  [...root.querySelectorAll('*')].flatMap(element => [element, ...element.localName === 'template' ? elementsIn((element as HTMLTemplateElement).content) : []])
