import type { FastifyInstance, FastifyRequest } from 'fastify'
import { h, type JSX } from 'preact'
import type { Api } from '../../domain/api/api-client.ts'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import { askedAbout, heldUpBy, isUnseen, linesOf, redsOf } from '../../domain/tests/launch-check.ts'
import { paths } from '../../domain/paths.ts'
import { priceLaunch } from '../../domain/products/product-form-words.ts'
import { DraftChecks, LaunchDialog } from '../../views/drafts/draft-checks.tsx'
import { productsOf } from './draft-products.ts'
import type { Act } from './steps/draft-step.ts'
import { ChecksUnread } from '../../views/drafts/shop-silent.tsx'
import { busyReason, isShopSilent } from '../upstream/api-outcomes.ts'
import { barePage, seeOther } from '../page/page.ts'
import { queryOf } from '../http/query.ts'
import { apiOf, storeOf } from '../session/visit.ts'

/** Act of the button that launches a draft in spite of its warnings. */
export const launchSurely = 'launchSurely'
/**
 * Path of the review step with the dialog that asks whether to launch. With `now` it asks even
 * while the browser check runs.
 */
export const askBeforeLaunch = (id: string, ask: '1' | 'now' = '1'): string =>
  `${paths.draft(id)}?step=review&ask=${ask}`

/**
 * The list of checks before a launch. The review step fetches it again while the browser check
 * runs.
 */
export function draftChecks(app: FastifyInstance): void {
  app.get<{ Params: { id: string } }>(paths.draftChecks(':id'), async (request, reply) => {
    const { id } = request.params,
      api = apiOf(request)
    if (!request.headers['hx-request'])
      return seeOther(request, reply, `${paths.draft(id)}?step=review`)
    const draft = await api.draft({ params: { id } })
    const { list, dialogs } = await checksShown(request, api, draft)
    // The merchant waited for the browser check in order to launch. Reload the page, so that it
    // asks now.
    if (dialogs) return reply.header('hx-refresh', 'true').code(204).send()
    return barePage(request, reply, {}, list)
  })
}

/**
 * The list of checks for the review step, and the dialog that asks whether to launch. `dialogs` is
 * null when no launch led here, when a red check prevents the launch, and while the browser check
 * runs (except with `ask=now`). While the shop does not answer, the list says so.
 */
export async function checksShown(
  request: FastifyRequest,
  api: Api,
  draft: TestDraft,
): Promise<{ list: JSX.Element; dialogs: JSX.Element | null }> {
  const found = await api.draftChecks({ params: { id: draft.id } }).catch((error: unknown) => {
    if (isShopSilent(error)) return { busy: busyReason(error) }
    throw error
  })
  if ('busy' in found) return { list: ChecksUnread(found), dialogs: null }
  const asked = queryOf(request).get('ask'),
    isAsked = asked !== null,
    mayLaunch = redsOf(linesOf(found)).length === 0
  const { timeZone } = storeOf(request),
    isRunning = found.browser.state === 'running'
  // The engine's clock decides whether the start has passed.
  const hasPassed = found.checks.some(({ name, tone }) => name === 'schedule' && tone !== 'good')
  const isDialog = isAsked && mayLaunch && (!isRunning || asked === 'now')
  const prices =
    isDialog && draft.kind === 'Price'
      ? priceLaunch(await productsOf(api, draft.id), {
          weights: draft.weights,
          startsAt: hasPassed ? null : draft.launchAt,
          timeZone,
        })
      : null
  return {
    list: h(DraftChecks, {
      draft,
      found,
      timeZone,
      isAsked,
      again: askBeforeLaunch(draft.id),
      atOnce: askBeforeLaunch(draft.id, 'now'),
    }),
    dialogs: isDialog
      ? h(LaunchDialog, {
          draft,
          asked: askedAbout(found),
          isUnseen: isUnseen(found.browser),
          isRunning,
          prices,
        })
      : null,
  }
}

export const checkActs: Record<string, Act> = {
  check: async ({ api, draft }) => void (await api.startDraftChecks({ params: { id: draft.id } })),
  // A button of the launch dialog: it starts the browser check, and the page asks again afterwards.
  checkFirst: async ({ api, draft }) => {
    await api.startDraftChecks({ params: { id: draft.id } })
    return { ask: '1' }
  },
}

/**
 * Whether a launch first goes to the review step: for new prices, for a warning, for a problem that
 * no field of the draft fixes, and when no browser has checked the pages as they are now. In the
 * last case this starts the browser check.
 */
export async function mustAsk(api: Api, draft: TestDraft): Promise<boolean> {
  const found = await api.draftChecks({ params: { id: draft.id } }),
    lines = linesOf(found)
  if (heldUpBy(lines).length > 0) return true
  // The launch refuses the other red checks itself, at their fields.
  if (redsOf(lines).length > 0) return false
  if (isUnseen(found.browser)) await api.startDraftChecks({ params: { id: draft.id } })
  // New prices are confirmed at every launch.
  return draft.kind === 'Price' || isUnseen(found.browser) || askedAbout(found).length > 0
}
