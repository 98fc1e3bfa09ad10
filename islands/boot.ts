import { createElement, type ComponentType } from 'react'
import { flushSync } from 'react-dom'
import { hydrateRoot, type Root } from 'react-dom/client'
import { registry } from './registry.ts'
import { typedBefore } from './drafts/typed-before.ts'

const roots = new Map<Element, Root>()

/**
 * Hydrates the islands of the page and those that htmx brings in later. Unmounts those that htmx
 * removed.
 */
function boot(): void {
  for (const [element, root] of roots)
    if (!element.isConnected) {
      root.unmount()
      roots.delete(element)
    }
  const fresh = [...document.querySelectorAll<HTMLElement>('[data-island]')].filter(
    element => !roots.has(element),
  )
  const typed = fresh.flatMap(typedBefore)
  for (const element of fresh) {
    const island = registry[
      element.dataset.island as keyof typeof registry
    ] as ComponentType<object>
    const props = JSON.parse(element.nextElementSibling!.textContent!) as object
    // Synchronously: an island that is marked alive must hear everything that is done to it from
    // then on.
    flushSync(() =>
      roots.set(
        element,
        hydrateRoot(element, createElement(island, props), {
          identifierPrefix: element.id,
          onRecoverableError: error => console.error(error),
        }),
      ),
    )
    element.dataset.alive = ''
  }
  // Only when all islands are there: one island may save what is typed in another.
  for (const again of typed) flushSync(again)
}

/** An island that is given new properties keeps its state. */
document.addEventListener('live:props', ({ target, detail }: CustomEventInit<object> & Event) => {
  const element = target as HTMLElement
  roots
    .get(element)
    ?.render(
      createElement(
        registry[element.dataset.island as keyof typeof registry] as ComponentType<object>,
        detail,
      ),
    )
})
document.addEventListener('htmx:after:process', boot)
boot()
