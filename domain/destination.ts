import { paths } from './paths.ts'
import type { Plan } from './plans/plan.ts'
import { askedPlan } from './plans/plan-outcome.ts'
import { isOnboarding, isOverlay, routeOf } from './routes.ts'
import { ownPath } from './stores/own-address.ts'

/**
 * Query parameter with the page that was asked for first, while a merchant chooses a plan or sets
 * the store up (requirements 9.14).
 */
export const askedPage = 'from'

/**
 * A page of the app for a store that is ready, with its query; null for any other address. Only
 * these pages may be returned to.
 */
export function ownPage(
  asked: string | null | undefined,
): { path: string; query: URLSearchParams } | null {
  const own = ownPath(asked ?? undefined)
  if (own === null) return null
  const at = own.indexOf('?'),
    path = at < 0 ? own : own.slice(0, at)
  if (routeOf(path)?.guard !== 'store' || isOnboarding(path) || isOverlay(path)) return null
  return { path, query: new URLSearchParams(at < 0 ? '' : own.slice(at + 1)) }
}

/**
 * The page that was asked for first, without the parameters in `passing`; null when it is not an
 * own page.
 */
export function destination(asked: string | null | undefined): string | null {
  const page = ownPage(asked)
  if (!page) return null
  for (const name of passing) page.query.delete(name)
  return page.query.size > 0 ? `${page.path}?${page.query}` : page.path
}
/** Query parameters that the shop's admin adds for a single request, and to each page again. */
const ofAdmin = ['embedded', 'timestamp', 'hmac', 'id_token', 'signed_in', 'host', 'shop']
/** The same with those of the gate. host, shop and code are carried along elsewhere. */
const passing = [...ofAdmin, 'code', 'blocked', askedPage, askedPlan]

/**
 * Where the merchant returns to after approving or declining a plan in the shop's admin: the page
 * that was asked for first, if it is ours. Otherwise a store that is still being set up returns to
 * that, and any other sees the result on its billing page.
 */
export function planReturn(
  { onboarded }: { onboarded: boolean },
  { id }: Pick<Plan, 'id'>,
  from: string | undefined,
): string {
  const page = ownPage(from) ?? (onboarded ? ownPage(paths.settings('billing')) : null)
  if (!page) return paths.home()
  // The admin's signature is of the request before.
  for (const name of ofAdmin) page.query.delete(name)
  page.query.set(askedPlan, id)
  return `${page.path}?${page.query}`
}
