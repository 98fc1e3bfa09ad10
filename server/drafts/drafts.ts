import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { emptyChange } from '../../domain/drafts/change-kind.ts'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import { formOf } from '../../domain/drafts/draft-form.ts'
import type { Posted } from '../../domain/posted.ts'
import { typed } from '../../domain/drafts/draft-form-posted.ts'
import { stepOfField, type DraftStep } from '../../domain/drafts/draft-steps.ts'
import { formatTime } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import { kindLack } from '../../domain/platform/kind-needs.ts'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import { kindCapability, type TestKind, testKindNames } from '../../domain/tests/test-kind.ts'
import { DraftKinds } from '../../views/drafts/draft-kinds.tsx'
import { isOpen } from '../session/access.ts'
import { editor, stepOf } from './draft-editor.ts'
import { askBeforeLaunch, launchSurely, mustAsk } from './draft-checks.ts'
import {
  autosave,
  type OwnPart,
  saveDraft,
  type Saved,
  uncheckedBy,
  uncheckedYet,
} from './draft-save.ts'
import { stepModules } from './steps/draft-steps.ts'
import { page, seeOther } from '../page/page.ts'
import { toast } from '../page/toasts.ts'
import { track } from '../events/usage-events.ts'
import { apiOf, storeOf } from '../session/visit.ts'
import { isShopSilent } from '../upstream/api-outcomes.ts'
import { conflictBanner, silentBanner, unlaunchedBanner } from './draft-banners.ts'

type WithId = {
  Params: { id: string }
  Querystring: { step?: string; unchecked?: string }
  Body: Posted
}

export function drafts(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  app.get(paths.draft(), (request, reply) => kindsPage(request, reply))

  app.post<{ Body: Posted }>(paths.draft(), async (request, reply) => {
    const kind = testKindNames.find(k => k === request.body.kind)
    if (!kind) throw new HttpProblem(400, 'Choose one of the kinds of test that are offered.')
    // The engine refuses it too. Here the merchant gets the choice back.
    if (kindLack(kind, await apiOf(request).storeCapabilities({})))
      return kindsPage(request, reply.code(409), kind)
    const { id } = await apiOf(request).createDraft({ body: { kind } })
    track(request, 'Test Creation Started', { draftId: id, kind })
    return seeOther(request, reply, paths.draft(id))
  })

  app.get<WithId>(paths.draft(':id'), async (request, reply) => {
    const {
      params: { id },
      query: { step, unchecked },
    } = request
    const draft = await apiOf(request).draft({ params: { id } })
    return editor(request, reply, {
      draft,
      form: formOf(draft, storeOf(request).timeZone),
      step,
      ...(unchecked && { unchecked: uncheckedBy(unchecked) }),
    })
  })

  app.post<WithId>(paths.draft(':id'), async (request, reply) => {
    const {
      body: posted,
      query: { step },
    } = request
    const [act = 'save', ...rest] = String(posted.act ?? 'save').split(':'),
      argument = rest.join(':')
    if (act === 'add' || act === 'remove') return editRows(request, reply, act, Number(argument))

    const saved = await save(
      request,
      act === 'launch' || act === launchSurely,
      act !== launchSurely,
    )
    if (act === autosave) return autosaved(request, reply, saved)
    switch (saved.done) {
      case 'launched':
        return seeOther(request, reply, `${paths.report(saved.testId)}?launched`)
      case 'asked':
        return seeOther(request, reply, askBeforeLaunch(saved.draft.id))
      case 'refused':
        return editor(request, reply.code(422), {
          ...saved,
          posted,
          step,
          ...(saved.unlaunched && { banner: unlaunchedBanner(saved.unlaunched) }),
        })
      case 'conflict':
        return editor(request, reply.code(409), {
          ...saved,
          posted,
          step,
          banner: conflictBanner,
          isConflict: true,
        })
      case 'saved':
        return actOn(request, reply, saved, act, argument)
    }
  })

  app.post<WithId>(paths.deleteDraft(':id'), async (request, reply) => {
    await apiOf(request).deleteDraft({ params: { id: request.params.id } })
    return seeOther(request, reply, paths.tests('Draft'))
  })

  function save(request: FastifyRequest<WithId>, launch: boolean, mayAsk: boolean): Promise<Saved> {
    const {
        params: { id },
        body: posted,
        query: { step: wanted },
      } = request,
      api = apiOf(request)
    const keep = async (draft: TestDraft): Promise<FieldProblem[]> =>
      (await stepModules[stepOf(wanted, draft)].save?.({ request, api, draft, posted })) ?? []
    const part = async (draft: TestDraft): Promise<OwnPart> =>
      (await stepModules[stepOf(wanted, draft)].part?.({ request, api, draft, posted })) ?? {
        update: {},
        problems: [],
      }
    return saveDraft({
      api,
      id,
      posted,
      launch,
      timeZone: storeOf(request).timeZone,
      now: clock(),
      keep,
      part,
      mustAsk: async draft => mayAsk && mustAsk(api, draft),
    })
  }
}

/** The kinds of test to choose from; `refused` is one that was chosen and cannot be run. */
async function kindsPage(
  request: FastifyRequest,
  reply: FastifyReply,
  refused?: TestKind,
): Promise<FastifyReply> {
  const store = await apiOf(request).storeCapabilities({})
  const lacking = Object.fromEntries(
    testKindNames.flatMap(kind => {
      const lack = kindLack(kind, store)
      return lack ? [[kind, lack]] : []
    }),
  )
  const open = testKindNames.filter(kind => {
    const needs = kindCapability[kind]
    return !needs || isOpen(request, needs)
  })
  return page(request, reply, {}, h(DraftKinds, { open, lacking, ...(refused && { refused }) }))
}

/**
 * Does what the button asked for, after the form is saved: duplicates the draft, goes to another
 * step, or runs an act of a step.
 */
async function actOn(
  request: FastifyRequest<WithId>,
  reply: FastifyReply,
  { draft, unchecked }: Extract<Saved, { done: 'saved' }>,
  act: string,
  argument: string,
): Promise<FastifyReply> {
  const api = apiOf(request),
    {
      body: posted,
      query: { step: asked },
    } = request
  let step: DraftStep = stepOf(act === 'go' ? argument : asked, draft)
  if (act === 'duplicate')
    try {
      const copy = await api.duplicateDraft({ params: { id: draft.id } })
      toast(request, reply, 'Draft duplicated. You are editing the copy.')
      return seeOther(request, reply, paths.draft(copy.id))
    } catch (error) {
      return actRefused(request, reply, draft.id, step, error)
    }
  let query: Record<string, string> = act === 'go' ? {} : (stepModules[step].place?.(posted) ?? {})
  const [owner, verb = ''] = act.split('.')
  const own =
    owner !== undefined && Object.hasOwn(stepModules, owner)
      ? stepModules[owner as DraftStep].acts
      : undefined
  if (own && Object.hasOwn(own, verb)) {
    step = owner as DraftStep
    try {
      const next = await own[verb]!({ request, reply, api, draft, posted }, argument)
      if (typeof next === 'string') step = next
      else if (next) query = next
    } catch (error) {
      return actRefused(request, reply, draft.id, step, error)
    }
  }
  const next = stepOf(step, draft)
  // The message is at the field, or on the next page when that has no such field.
  for (const one of unchecked)
    if (next === stepOfField(one.field, draft.kind))
      query = { ...query, unchecked: one === uncheckedYet ? 'yet' : one.field }
    else toast(request, reply, one.message, 'plain')
  return seeOther(
    request,
    reply,
    `${paths.draft(draft.id)}?${new URLSearchParams({ step: next, ...query })}`,
  )
}

/**
 * Shows what the shop or the engine refuses at its field, or above the step if it names no field;
 * also that the shop did not answer. Throws every other error.
 */
async function actRefused(
  request: FastifyRequest<WithId>,
  reply: FastifyReply,
  id: string,
  step: DraftStep,
  error: unknown,
): Promise<FastifyReply> {
  const isSilent = isShopSilent(error)
  if (
    !(error instanceof HttpProblem) ||
    (error.status >= 500 && !isSilent) ||
    error.status === 401 ||
    error.status === 404
  )
    throw error
  const now = await apiOf(request).draft({ params: { id } })
  return editor(request, reply.code(422), {
    draft: now,
    form: formOf(now, storeOf(request).timeZone),
    posted: request.body,
    problems: error.fields,
    step,
    ...(error.fields.length === 0 && {
      banner: isSilent
        ? silentBanner(error)
        : { tone: 'bad' as const, title: 'That could not be done.', text: error.message },
    }),
  })
}

/** Answers an autosave with JSON for the page's script. */
function autosaved(request: FastifyRequest, reply: FastifyReply, saved: Saved): FastifyReply {
  const at = (draft: TestDraft) => formatTime(draft.updatedAt, storeOf(request).timeZone)
  reply.header('cache-control', 'no-store').type('application/json; charset=utf-8')
  switch (saved.done) {
    case 'saved':
      return reply.send({
        done: 'saved',
        version: saved.draft.version,
        at: at(saved.draft),
        ...(saved.unchecked.length > 0 && { problems: saved.unchecked }),
      })
    case 'refused':
      return reply.send({ done: 'refused', version: saved.draft.version, problems: saved.problems })
    case 'conflict':
      return reply.send({ done: 'conflict', version: saved.draft.version, at: at(saved.draft) })
    case 'launched':
    case 'asked':
      throw new Error('An autosave must not launch a test.')
  }
}

/**
 * Adds or removes a row of changes when scripts are off. The page comes back with what was typed;
 * nothing is stored yet.
 */
async function editRows(
  request: FastifyRequest<WithId>,
  reply: FastifyReply,
  act: 'add' | 'remove',
  at: number,
): Promise<FastifyReply> {
  const draft = await apiOf(request).draft({ params: { id: request.params.id } })
  const form = typed(formOf(draft, storeOf(request).timeZone), request.body)
  form.changes =
    act === 'add' ? [...form.changes, emptyChange] : form.changes.filter((_, i) => i !== at)
  return editor(request, reply, { draft, form, posted: request.body, step: request.query.step })
}
