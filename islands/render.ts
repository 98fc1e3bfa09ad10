import { createElement, type ComponentType } from 'react'
import { renderToStaticMarkup, renderToString } from 'react-dom/server'
import { PlanButton, PlanCard, PlanPrice } from './plans/plan-card.tsx'
import { PlanDowngrade } from './plans/plan-downgrade.tsx'
import { type IslandName, registry } from './registry.ts'

type Components = { [N in IslandName]: Awaited<ReturnType<(typeof registry)[N]>> }
export type Islands = { [N in IslandName]: Parameters<Components[N]>[0] }

/** The server loads the code of all islands when it starts. */
const components = Object.fromEntries(
  await Promise.all(Object.entries(registry).map(async ([name, load]) => [name, await load()])),
) as Components

/**
 * An island's markup, rendered by React itself, so that hydration finds what it expects. `id` is
 * the id of its mount element.
 */
export const renderIsland = <N extends keyof Islands>(
  name: N,
  props: Islands[N],
  id: string,
): string =>
  renderToString(createElement(components[name] as ComponentType<Islands[N]>, props), {
    identifierPrefix: id,
  })

/** Parts of islands that other pages show too, without their script. */
const parts = {
  'plan-button': PlanButton,
  'plan-card': PlanCard,
  'plan-downgrade': PlanDowngrade,
  'plan-price': PlanPrice,
}
export type Parts = { [N in keyof typeof parts]: Parameters<(typeof parts)[N]>[0] }

/** The markup of a part of an island. It is not hydrated. */
export const renderPart = <N extends keyof Parts>(name: N, props: Parts[N]): string =>
  renderToStaticMarkup(createElement(parts[name] as ComponentType<Parts[N]>, props))
