import type { ChangeKind } from '../domain/script/script-config.ts'
import { pictured } from '../domain/drafts/safe-html.ts'
import { hide } from './guard.ts'

/** Reads what stands where a change was made. `isClosed`: the parser has left the element. */
export type Reads = (isClosed: unknown) => unknown
/**
 * What each kind of change does to an element. A shop's script carries those that its tests use. false: it cannot be done
 * yet. Of what the page's own code may write over, how to read it: another answer later, and the change is made again.
 */
export type ChangeAct = (element: HTMLElement, value: string, name: string) => false | Reads | void
export type ChangeActs = Record<ChangeKind, ChangeAct>

export const text: ChangeAct = (element, value) => {
  element.textContent = value
  return () => element.textContent
}
export const html: ChangeAct = (element, value) => {
  element.innerHTML = value
  // Inside of an element that is still open the parser continues adding the control's content, behind this mark.
  const end = element.appendChild(new Comment()),
    node = element.firstChild!
  return isClosed => {
    while (end.nextSibling) end.nextSibling.remove()
    if (isClosed) end.remove()
    // What other code puts into our markup, or behind it, leaves it standing.
    return node.parentNode
  }
}
export const style: ChangeAct = ({ style }, value, name) => {
  style.setProperty(name, value, 'important')
  return () => style.getPropertyValue(name)
}
export const attribute: ChangeAct = (element, value, name) => {
  // Elsewhere an address may be that of code.
  if (/^src/i.test(name) && !element.matches(pictured)) return false
  element.setAttribute(name, value)
  return () => element.getAttribute(name)
}
export const classes: ChangeAct = ({ classList }, value) => {
  const names = value.match(/\S+/g)!
  classList.add(...names)
  return () => names.every(name => classList.contains(name))
}
export const hidden: ChangeAct = ({ style }) => hide(style)
export const remove: ChangeAct = element => element.remove()
export const insertBefore: ChangeAct = (element, value) =>
  element.insertAdjacentHTML('beforebegin', value)
export const insertAfter: ChangeAct = (element, value) =>
  element.insertAdjacentHTML('afterend', value)

/** Beside the element that `value` finds: before it, or with `name` 'after' behind it. */
export const move: ChangeAct = (element, value, name) => {
  const target = document.querySelector(value)
  return target ? target[name === 'after' ? 'after' : 'before'](element) : false
}

export const image: ChangeAct = (element, url) => {
  const image = element.matches('img') ? element : element.querySelector('img')
  if (!image)
    return element.style.setProperty('background-image', `url(${JSON.stringify(url)})`, 'important')
  // Lazy loaders copy the data- ones over src later; a picture's other sources go before its image.
  for (const node of [image, ...(image.closest('picture')?.children ?? [])]) {
    for (const { name } of node.attributes) if (/src/.test(name)) node.setAttribute(name, url)
  }
}

export const changeActs: ChangeActs = {
  text,
  html,
  style,
  attribute,
  class: classes,
  hide: hidden,
  remove,
  insertBefore,
  insertAfter,
  image,
  move,
}
