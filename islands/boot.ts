import { createElement, type ComponentType } from 'react'
import { hydrateRoot, type Root } from 'react-dom/client'
import { registry } from './registry.ts'

const roots = new Map<Element, Root>()

/** Hydrates the islands of the page, and those htmx brings in later; lets go of those it took away. */
function boot(): void {
  for (const [element, root] of roots) if (!element.isConnected) { root.unmount(); roots.delete(element) }
  for (const element of document.querySelectorAll<HTMLElement>('[data-island]')) {
    if (roots.has(element)) continue
    const island = registry[element.dataset.island as keyof typeof registry] as ComponentType<object>
    const props = JSON.parse(element.nextElementSibling!.textContent!) as object
    roots.set(element, hydrateRoot(element, createElement(island, props), {
      identifierPrefix: element.id,
      onRecoverableError: error => console.error(error),
    }))
    element.dataset.alive = ''
  }
}

document.addEventListener('htmx:after:process', boot)
boot()
