import type { ScriptChange } from '../domain/script-config.ts'
import { guarded, hide, on } from './guard.ts'

/** How long after the page is there, and after each act of the visitor, new elements are still looked for. Milliseconds. */
const lateness = 5000
/** Rounds with a change in that time. More: some code answers each of our changes with a new element, and we give way. */
const roundsAtMost = 500

/**
 * Applies changes as their elements come into being, before they are painted, by one observer. Each element is changed
 * once per change; what we add ourselves is not looked at again. `onApplied` is called with a test when a change of it
 * was applied. Answers with a function that looks again for a while, for code that redraws parts of a page after a click.
 */
export function applyChanges(wanted: { test: string; changes: ScriptChange[] }[], onApplied: (test: string) => void): () => void {
  const pending = wanted.flatMap(({ test, changes }) => changes.map(change => ({
    test, change, done: new WeakSet<Element>(),
    // Inside of an element that is still open the parser goes on adding the control's content, after these marks.
    ends: new WeakMap<Element, Comment>(),
  })))
  let rounds = 0
  let until = Infinity

  const pass = (): void => {
    if (rounds > roundsAtMost || Date.now() > until) return observer.disconnect()
    let isChanged = false
    for (const { test, change, done, ends } of pending) {
      guarded(() => {
        const find = (act: (element: Element) => unknown): void => document.querySelectorAll(change.selector).forEach(act)
        const isSettled = (element: Element): boolean => isClosed(element) || !/text|html/.test(change.kind)
        find(element => {
          if (done.has(element)) return
          const end = ends.get(element)
          if (end) while (end.nextSibling) end.nextSibling.remove()
          else {
            apply(change, element)
            onApplied(test)
            isChanged = true
          }
          if (isSettled(element)) {
            done.add(element)
            end?.remove()
          } else if (!end) ends.set(element, element.appendChild(document.createComment('')))
        })
        // What the change itself brought is never its own target, or it would grow for ever.
        if (isChanged) find(element => isSettled(element) && done.add(element))
      })()
    }
    observer.takeRecords()
    if (isChanged) rounds++
  }
  const observer = new MutationObserver(guarded(pass))
  const watch = (): void => {
    rounds = 0
    if (document.readyState !== 'loading') until = Date.now() + lateness
    if (document.body) pass()
    observer.observe(document, { childList: true, subtree: true })
  }
  on('DOMContentLoaded', watch)
  watch()
  return watch
}

function apply({ kind, name, value }: ScriptChange, element: Element): void {
  const { style } = element as HTMLElement
  switch (kind) {
    case 'text': element.textContent = value; return
    case 'html': element.innerHTML = value; return
    case 'style': return style.setProperty(name, value.replace('!important', ''), 'important')
    case 'attribute': return element.setAttribute(name, value)
    case 'class': return element.classList.add(...value.match(/\S+/g)!)
    case 'hide': return hide(style)
    case 'remove': return element.remove()
    case 'insertBefore': return element.insertAdjacentHTML('beforebegin', value)
    case 'insertAfter': return element.insertAdjacentHTML('afterend', value)
    case 'move': return document.querySelector(value)?.insertAdjacentElement(name === 'after' ? 'afterend' : 'beforebegin', element) as unknown as void
    case 'image': return showPicture(element, value)
  }
}

function showPicture(element: Element, url: string): void {
  const image = element.matches('img') ? element : element.querySelector('img')
  if (!image) return (element as HTMLElement).style.setProperty('background-image', `url(${JSON.stringify(url)})`, 'important')
  // Lazy loaders copy the data- ones over src later; a picture's other sources go before its image.
  for (const node of [image, ...image.closest('picture')?.children ?? []]) {
    for (const name of ['src', 'srcset', 'data-src', 'data-srcset']) if (node.hasAttribute(name)) node.setAttribute(name, url)
  }
}

/** The parser has left an element once anything follows it or an element around it. */
function isClosed(element: Element): boolean {
  if (document.readyState !== 'loading') return true
  for (let node: Node | null = element; node; node = node.parentNode) if (node.nextSibling) return true
  return false
}
