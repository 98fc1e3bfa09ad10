import { elementProblem, partProblems } from '../domain/safe-html.ts'
import type { ScriptChange } from '../domain/script-config.ts'

/** Whether a change that the editor asks to be shown would be refused when it is saved. Its markup is read in a document of its own, where nothing runs or loads. */
export function holdsCode(change: ScriptChange): boolean {
  const { kind, value } = change
  return partProblems(change).length > 0 || (['html', 'insertBefore', 'insertAfter'].includes(kind) && elementsIn(markup(value)).some(element =>
    elementProblem({ tag: element.localName, attributes: Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value])) }) !== null))
}

function markup(value: string): ParentNode {
  const { body } = document.implementation.createHTMLDocument('')
  // Inside an SVG even what is text elsewhere is read as elements.
  body.innerHTML = `<template>${value}</template><template><svg>${value}</svg></template>`
  return body
}

const elementsIn = (root: ParentNode): Element[] =>
  [...root.querySelectorAll('*')].flatMap(element => [element, ...element.localName === 'template' ? elementsIn((element as HTMLTemplateElement).content) : []])
