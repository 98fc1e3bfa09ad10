import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { paths } from '../domain/paths.ts'
import { isOnboarding, type Route } from '../domain/routes.ts'
import { startupRedirect } from '../domain/startup.ts'
import { BareTopbar, Frame, SmallScreenNote, Topbar } from '../views/shell.tsx'
import type { ShellData } from './api-session.ts'
import type { Paper } from './paper.ts'

const frames = new WeakMap<ShellData, Map<string, string>>()

/** What stands before a page's content. It changes only with the store's own data, which stays the same object until then. */
export function frameHtml(shell: ShellData, route: Route | null, rail: boolean, { docs }: Paper): string {
  let drawn = frames.get(shell)
  if (!drawn) frames.set(shell, drawn = new Map())
  const isWide = route?.layout === 'fullscreen', isFree = !isOnboarding(route?.path ?? '/') && isOpen(shell)
  const key = `${isWide} ${isFree} ${rail} ${route?.section} ${docs}`
  let html = drawn.get(key)
  if (html === undefined) {
    const props = { ...shell, docs, isFree, section: route?.section ?? null, rail }
    drawn.set(key, html = renderToString(isWide ? h(Topbar, props) : h(Frame, props)))
  }
  return html
}

/** Whether the store may go where it likes: no link is shown that the gate would turn back. */
const isOpen = ({ store, status }: ShellData): boolean => startupRedirect({ store, status, path: paths.settings() }) === null

/** What small screens are told (spec §2), with the way back to the shop's admin. */
export const smallScreenHtml = once((admin: string) => renderToString(h(SmallScreenNote, { admin: `${admin}/admin` })))
export const bareTopbarHtml = once(() => renderToString(h(BareTopbar, {})))

function once<A extends string[]>(make: (...args: A) => string): (...args: A) => string {
  const made = new Map<string, string>()
  return (...args) => {
    const key = args.join()
    let html = made.get(key)
    if (html === undefined) made.set(key, html = make(...args))
    return html
  }
}
