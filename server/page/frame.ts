import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { paths } from '../../domain/paths.ts'
import { frameOf, isOnboarding, type PageFrame, type Route } from '../../domain/routes.ts'
import { startupRedirect } from '../../domain/startup.ts'
import { BareTopbar, Frame, Topbar } from '../../views/shell.tsx'
import type { ShellData } from '../upstream/api-session.ts'
import { renderedForGood } from './render-cache.ts'
import type { Layout } from './layout.ts'

/**
 * The only page that the store may use now, such as the choice of a plan. Null when it may use
 * every page.
 */
export const placeOf = ({ store, status }: ShellData): string | null =>
  startupRedirect({ store, status, path: paths.settings() })?.to ?? null

/**
 * The frame around a store's page. While the store may use only one page there is no navigation:
 * the gate would turn its links back.
 */
export const frameFor = (shell: ShellData, route: Route | null): PageFrame =>
  placeOf(shell) === null ? frameOf(route) : 'bare'

/**
 * The HTML before a page's content. It is cached by `shell`, which stays the same object until the
 * store's data changes.
 */
export function frameHtml(shell: ShellData, route: Route | null, { docs }: Layout): string {
  const frame = frameFor(shell, route),
    isFree = !isOnboarding(route?.path ?? '/') && placeOf(shell) === null
  return renderedForGood(shell, `${frame} ${isFree} ${route?.section} ${docs}`, () => {
    const props = { ...shell, docs, isFree, section: route?.section ?? null }
    return frame === 'bare'
      ? renderToString(h(Topbar, props))
      : renderToString(h(Frame, { ...props, rail: frame === 'rail' }))
  })
}

/** `back`: where the bar's link into the app leads; empty for a bar without a link. */
export const bareTopbarHtml = once((back: string) => renderToString(h(BareTopbar, { back })))

function once<A extends string[]>(make: (...args: A) => string): (...args: A) => string {
  const made = new Map<string, string>()
  return (...args) => {
    const key = args.join()
    let html = made.get(key)
    if (html === undefined) made.set(key, (html = make(...args)))
    return html
  }
}
