import type { FastifyInstance, FastifyRequest } from 'fastify'
import { h, type JSX } from 'preact'
import type { Api } from '../domain/api-client.ts'
import type { TestDraft } from '../domain/draft.ts'
import { askedAbout, heldUpBy, type LaunchChecks, redsOf } from '../domain/launch-check.ts'
import { paths } from '../domain/paths.ts'
import { DraftChecks, LaunchDialog } from '../views/draft-checks.tsx'
import type { Act } from './draft-step.ts'
import { barePage, seeOther } from './page.ts'
import { queryOf } from './query.ts'
import { apiOf, storeOf } from './visit.ts'

/** The button that launches a draft whatever is worth knowing of it. */
export const launchSurely = 'launchSurely'
/** Where the merchant is asked once more. */
export const askBeforeLaunch = (id: string): string => `${paths.draft(id)}?step=review&ask=1`

/** The list before a launch while it is being looked through: the part of the review that is redrawn. */
export function draftChecks(app: FastifyInstance): void {
  app.get<{ Params: { id: string } }>(paths.draftChecks(':id'), async (request, reply) => {
    const { id } = request.params, api = apiOf(request)
    if (!request.headers['hx-request']) return seeOther(request, reply, `${paths.draft(id)}?step=review`)
    const draft = await api.draft({ params: { id } })
    return barePage(request, reply, { title: 'Before launch', route: 'draft' }, (await checksShown(request, api, draft)).list)
  })
}

/** The list of the review step, and the dialog that its launch is asked by. */
export async function checksShown(request: FastifyRequest, api: Api, draft: TestDraft): Promise<{ list: JSX.Element; dialogs: JSX.Element | null }> {
  const found = await api.draftChecks({ params: { id: draft.id } })
  const asked = askedAbout(allOf(found)), isAsked = queryOf(request).has('ask')
  const mayLaunch = redsOf(allOf(found)).length === 0
  return {
    list: h(DraftChecks, { draft, found, timeZone: storeOf(request).timeZone, isAsked }),
    dialogs: mayLaunch && asked.length > 0 ? h(LaunchDialog, { draft, asked, isOpen: isAsked }) : null,
  }
}

export const checkActs: Record<string, Act> = {
  check: async ({ api, draft }) => void await api.startDraftChecks({ params: { id: draft.id } }),
}

/** Whether a launch first goes to the review: there is something to know, or something in the way that no field of the draft mends. */
export async function mustAsk(api: Api, draft: TestDraft): Promise<boolean> {
  const checks = allOf(await api.draftChecks({ params: { id: draft.id } }))
  if (heldUpBy(checks).length > 0) return true
  // Other reds the launch itself refuses, at their fields.
  return redsOf(checks).length === 0 && askedAbout(checks).length > 0
}

/** Of what a browser found of another content than this nothing counts. */
const allOf = ({ checks, browser }: LaunchChecks) => [...checks, ...(browser.state === 'stale' ? [] : browser.checks)]
