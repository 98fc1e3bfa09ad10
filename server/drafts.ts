import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { emptyChange } from '../domain/change-kind.ts'
import { launchProblems, type TestDraft } from '../domain/draft.ts'
import { formOf, typed, type DraftForm, type Posted } from '../domain/draft-form.ts'
import { stepsOf, stepToMend, type DraftStep } from '../domain/draft-steps.ts'
import { paths } from '../domain/paths.ts'
import { HttpProblem, type FieldProblem } from '../domain/problem.ts'
import { buildableKinds, kindCapability } from '../domain/test-kind.ts'
import { matchesPattern } from '../domain/url-pattern.ts'
import { DraftEditor, type DraftEditorProps } from '../views/draft-editor.tsx'
import { DraftKinds } from '../views/draft-kinds.tsx'
import { previewAt } from '../views/draft-stage.tsx'
import { saveDraft } from './draft-save.ts'
import { isOpen } from './access.ts'
import { page, seeOther } from './page.ts'
import { track } from './usage-events.ts'
import { apiOf, storeOf } from './visit.ts'

type WithId = { Params: { id: string }; Querystring: { step?: string }; Body: Posted }

export function drafts(app: FastifyInstance): void {
  app.get(paths.draft(), (request, reply) => page(request, reply, { title: 'Create a test', rail: false }, h(DraftKinds, {
    open: buildableKinds.filter(kind => { const needs = kindCapability[kind]; return !needs || isOpen(request, needs) }),
  })))

  app.post<{ Body: Posted }>(paths.draft(), async (request, reply) => {
    const kind = buildableKinds.find(k => k === request.body.kind)
    if (!kind) throw new HttpProblem(400, 'Choose one of the kinds of test that are offered.')
    const { id } = await apiOf(request).createDraft({ body: { kind } })
    track(request, 'Test Creation Started', { draftId: id, kind })
    return seeOther(request, reply, paths.draft(id))
  })

  app.get<WithId>(paths.draft(':id'), async (request, reply) => {
    const draft = await apiOf(request).draft({ params: { id: request.params.id } })
    return editor(request, reply, { draft, form: formOf(draft) })
  })

  app.post<WithId>(paths.draft(':id'), async (request, reply) => {
    const { params: { id }, body: posted } = request
    const [act, target] = String(posted.act ?? 'save').split(':') as [string, string | undefined]
    if (act === 'add' || act === 'remove') return editRows(request, reply, act, Number(target))

    const saved = await saveDraft(apiOf(request), id, posted, act === 'launch')
    switch (saved.done) {
      case 'launched': return seeOther(request, reply, `${paths.report(saved.testId)}?launched`)
      case 'saved': return seeOther(request, reply, `${paths.draft(id)}?step=${stepOf(act === 'go' ? target : request.query.step, saved.draft)}`)
      case 'refused': return editor(request, reply.code(422), saved)
      case 'conflict': return editor(request, reply.code(409), {
        ...saved, banner: { tone: 'warn', title: 'Somebody saved this draft meanwhile.', text: 'What you typed is still here and not saved. Saving again puts it in place of theirs; leaving keeps theirs.' },
      })
    }
  })

  app.post<WithId>(paths.deleteDraft(':id'), async (request, reply) => {
    await apiOf(request).deleteDraft({ params: { id: request.params.id } })
    return seeOther(request, reply, paths.tests('Draft'))
  })
}

/** Adding or removing a row when no script runs: the page comes back with what was typed; nothing is stored yet. */
async function editRows(request: FastifyRequest<WithId>, reply: FastifyReply, act: 'add' | 'remove', at: number) {
  const draft = await apiOf(request).draft({ params: { id: request.params.id } })
  const form = typed(formOf(draft), request.body)
  form.changes = act === 'add' ? [...form.changes, emptyChange] : form.changes.filter((_, i) => i !== at)
  return editor(request, reply, { draft, form })
}

const stepOf = (wanted: string | undefined, draft: TestDraft): DraftStep => stepsOf(draft.kind).find(step => step === wanted) ?? 'goal'

type EditorState = { draft: TestDraft; form: DraftForm; problems?: FieldProblem[]; banner?: DraftEditorProps['banner'] }

/** The editor at the step of the request, or where the first problem is. */
async function editor(request: FastifyRequest<WithId>, reply: FastifyReply, { draft, form, problems = [], banner }: EditorState) {
  const pages = await apiOf(request).urlSearch({ query: { searchText: '' } })
  const patterns = draft.kind === 'UrlRedirect' ? [draft.controlUrl] : draft.domSelectors.flatMap(s => s.urlPatterns)
  const matches = pages.filter(p => patterns.some(pattern => pattern && matchesPattern(pattern, p.url)))
  const previews = draft.previewUrls.map(url => (matches[0] ? previewAt(url, matches[0].url) : url)) as [string, string]
  const step = stepToMend(problems, stepOf(request.query.step, draft), draft.kind)
  const props: DraftEditorProps = {
    draft, form, step, problems, pages, matches, previews, open: launchProblems(draft), timeZone: storeOf(request).timeZone, ...(banner ? { banner } : {}),
  }
  return page(request, reply, { title: draft.title.trim() || 'New draft', route: 'draft' }, h(DraftEditor, props))
}
