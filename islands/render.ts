import { createElement, type ComponentType } from 'react'
import { renderToString } from 'react-dom/server'
import { registry } from './registry.ts'

export type Islands = { [N in keyof typeof registry]: Parameters<(typeof registry)[N]>[0] }

/**
 * An island's markup, rendered by React itself, so that hydration finds what it expects. `id` is
 * the id of its mount element.
 */
export const renderIsland = <N extends keyof Islands>(
  name: N,
  props: Islands[N],
  id: string,
): string =>
  renderToString(createElement(registry[name] as ComponentType<Islands[N]>, props), {
    identifierPrefix: id,
  })
