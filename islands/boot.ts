import type { ComponentType } from 'react'
import { type IslandName, registry } from './registry.ts'
import type { Components, hydrate } from './roots.ts'

const components = new Map<string, ComponentType<object>>()
let draw: typeof hydrate | undefined

/**
 * Loads the code of these islands and React, all at the same time. Rejects when something cannot be
 * loaded, but only after everything else is there.
 */
export async function load(names: readonly string[]): Promise<void> {
  const results = await Promise.allSettled([
    // The others import it too, but the browser would learn that only from them.
    import('react'),
    import('./roots.ts').then(roots => {
      draw = roots.hydrate
    }),
    ...names.map(async name => {
      const component = await registry[name as IslandName]()
      components.set(name, component as ComponentType<object>)
    }),
  ])
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/**
 * Hydrates the islands of the page, and loads the code that they need. Islands whose code is there
 * already are hydrated before this returns.
 */
export async function boot(): Promise<void> {
  const names = [...new Set([...islands()].map(({ dataset }) => dataset.island!))],
    missing = names.filter(name => !components.has(name))
  try {
    // Another call may have loaded an island's code while what hydrates it is still on its way.
    if (missing.length > 0 || (names.length > 0 && !draw)) await load(missing)
  } finally {
    draw?.(components satisfies Components, islands())
  }
}

/** An island with `data-later` waits for a sign of a person (page/later.ts). */
const islands = () => document.querySelectorAll<HTMLElement>('[data-island]:not([data-later])')
