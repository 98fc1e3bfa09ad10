import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { paths } from '../../domain/paths.ts'
import { isOnboarding, type Route } from '../../domain/routes.ts'
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
 * Whether the page has only the top bar, without the navigation: the gate would turn its links
 * back.
 */
export const isWide = (shell: ShellData, route: Route | null): boolean =>
  route?.layout === 'fullscreen' || placeOf(shell) !== null

/**
 * The HTML before a page's content. It is cached by `shell`, which stays the same object until the
 * store's data changes.
 */
export function frameHtml(
  shell: ShellData,
  route: Route | null,
  rail: boolean,
  { docs }: Layout,
): string {
  const wide = isWide(shell, route),
    isFree = !isOnboarding(route?.path ?? '/') && placeOf(shell) === null
  return renderedForGood(shell, `${wide} ${isFree} ${rail} ${route?.section} ${docs}`, () => {
    const props = { ...shell, docs, isFree, section: route?.section ?? null, rail }
    return renderToString(wide ? h(Topbar, props) : h(Frame, props))
  })
}

export const bareTopbarHtml = once(() => renderToString(h(BareTopbar, {})))

function once<A extends string[]>(make: (...args: A) => string): (...args: A) => string {
  const made = new Map<string, string>()
  return (...args) => {
    const key = args.join()
    let html = made.get(key)
    if (html === undefined) made.set(key, (html = make(...args)))
    return html
  }
}
