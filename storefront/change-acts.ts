import type { ChangeKind } from '../domain/script/script-config.ts'
import { pictured } from '../domain/drafts/safe-html.ts'
import { hide } from './guard.ts'

/** Reads what is now at the place of a change. `isClosed`: the parser has left the element. */
export type Reads = (isClosed: unknown) => unknown
/**
 * What each kind of change does to an element. A shop's script carries only the kinds that its
 * tests use. Returns false when the change cannot be made yet. Returns a reader when the page's own
 * code may overwrite the change: when the reader later returns another value, the change is made
 * again.
 */
export type ChangeAct = (element: HTMLElement, value: string, name: string) => false | Reads | void
export type ChangeActs = Record<ChangeKind, ChangeAct>

export const text: ChangeAct = (element, value) => {
  element.textContent = value
  return () => element.textContent
}
export const html: ChangeAct = (element, value) => {
  element.innerHTML = value
  // While the element is still open, the parser continues to add the control's content to it, after
  // this mark.
  const end = element.appendChild(new Comment()),
    node = element.firstChild!
  return isClosed => {
    while (end.nextSibling) end.nextSibling.remove()
    if (isClosed) end.remove()
    // Other code may add content inside our markup or after it: our markup then still has its
    // parent, and the change is not made again.
    return node.parentNode
  }
}
export const style: ChangeAct = ({ style }, value, name) => {
  style.setProperty(name, value, 'important')
  return () => style.getPropertyValue(name)
}
export const attribute: ChangeAct = (element, value, name) => {
  // On other elements this attribute may be the address of code.
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
export const removed: ChangeAct = element => element.remove()
export const insertBefore: ChangeAct = (element, value) =>
  element.insertAdjacentHTML('beforebegin', value)
export const insertAfter: ChangeAct = (element, value) =>
  element.insertAdjacentHTML('afterend', value)

/**
 * Moves the element next to the one that `value` finds: before it, or after it when `name` is
 * 'after'.
 */
export const move: ChangeAct = (element, value, name) => {
  const target = document.querySelector(value)
  return target ? target[name === 'after' ? 'after' : 'before'](element) : false
}

export const image: ChangeAct = (element, url) => {
  const image = element.matches('img') ? element : element.querySelector('img')
  if (!image)
    return element.style.setProperty('background-image', `url(${JSON.stringify(url)})`, 'important')
  // Lazy loaders later copy the data- attributes over src, so these get the address too. A
  // picture's other sources win over its image, so they get it as well.
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
  remove: removed,
  insertBefore,
  insertAfter,
  image,
  move,
}
