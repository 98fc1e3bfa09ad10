import type { ScriptChange } from '../domain/script-config.ts'
import { guarded, hide, on } from './guard.ts'

/** Elements the parser is still inside of, each with the mark after which it goes on adding the control's content. */
let unfinished: [element: Element, end: Comment][] = []

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
  const pending = wanted.flatMap(({ test, changes }) => changes.map(change => ({ test, change, done: new WeakSet<Element>() })))
  let rounds = 0
  let until = Infinity

  const pass = (): void => {
    if (rounds > roundsAtMost || Date.now() > until) return observer.disconnect()
    trim()
    let isChanged = false
    for (const { test, change, done } of pending) {
      guarded(() => {
        const found = [...document.querySelectorAll(change.selector)].filter(element => !done.has(element))
        if (!found.length) return
        for (const element of found) {
          done.add(element)
          apply(change, element)
        }
        // What the change itself brought is never its own target, or it would grow for ever.
        document.querySelectorAll(change.selector).forEach(element => done.add(element))
        isChanged = true
        onApplied(test)
      })()
    }
    observer.takeRecords()
    if (isChanged) rounds++
  }
  const observer = new MutationObserver(guarded(pass))
  const watch = (): void => {
    rounds = 0
    if (document.readyState !== 'loading') until = Date.now() + lateness
    pass()
    observer.observe(document, { childList: true, subtree: true })
  }
  on('DOMContentLoaded', watch)
  watch()
  return watch
}

function apply({ kind, name, value }: ScriptChange, element: Element): void {
  const { style } = element as HTMLElement
  switch (kind) {
    case 'text':
      element.textContent = value
      return finishLater(element)
    case 'html':
      element.innerHTML = value
      return finishLater(element)
    case 'style': return style.setProperty(name, value.replace('!important', ''), 'important')
    case 'attribute': return element.setAttribute(name, value)
    case 'class': return element.classList.add(...value.match(/\S+/g)!)
    case 'hide': return hide(style)
    case 'remove': return element.remove()
    case 'insertBefore': return element.insertAdjacentHTML('beforebegin', value)
    case 'insertAfter': return element.insertAdjacentHTML('afterend', value)
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

/** The parser goes on adding the control's content to an element it has not closed: marks the end of ours. */
function finishLater(element: Element): void {
  if (!isClosed(element)) unfinished.push([element, element.appendChild(document.createComment(''))])
}

function trim(): void {
  unfinished = unfinished.filter(([element, end]) => {
    while (end.nextSibling) end.nextSibling.remove()
    if (!isClosed(element)) return true
    end.remove()
    return false
  })
}

/** The parser has left an element once anything follows it or an element around it. */
function isClosed(element: Element): boolean {
  if (document.readyState !== 'loading') return true
  for (let node: Node | null = element; node; node = node.parentNode) if (node.nextSibling) return true
  return false
}
