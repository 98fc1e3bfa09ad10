import { createElement, type ComponentType } from 'react'
import { flushSync } from 'react-dom'
import { hydrateRoot, type Root } from 'react-dom/client'
import { typedBefore } from './drafts/typed-before.ts'

/** The islands whose code is loaded, by name. */
export type Components = ReadonlyMap<string, ComponentType<object>>

const roots = new Map<Element, { root: Root; component: ComponentType<object> }>()

/** Hydrates the islands whose code is there. Unmounts those that htmx removed. */
export function hydrate(components: Components, islands: Iterable<HTMLElement>): void {
  for (const [element, { root }] of roots)
    if (!element.isConnected) {
      root.unmount()
      roots.delete(element)
    }
  const fresh = [...islands].flatMap(element => {
    const component = components.get(element.dataset.island!)
    return component && !roots.has(element) ? [{ element, component }] : []
  })
  const typed = fresh.flatMap(({ element }) => typedBefore(element))
  for (const { element, component } of fresh) {
    const props = JSON.parse(element.nextElementSibling!.textContent!) as object
    // Synchronously: an island that is marked alive must hear everything that is done to it from
    // then on.
    flushSync(() => {
      const root = hydrateRoot(element, createElement(component, props), {
        identifierPrefix: element.id,
        onRecoverableError: error => console.error(error),
      })
      roots.set(element, { root, component })
    })
    element.dataset.alive = ''
  }
  // Only when all islands are there: one island may save what is typed in another.
  for (const again of typed) flushSync(again)
}

/** An island that is given new properties keeps its state. */
document.addEventListener('live:props', ({ target, detail }: CustomEventInit<object> & Event) => {
  const known = roots.get(target as HTMLElement)
  known?.root.render(createElement(known.component, detail))
})
