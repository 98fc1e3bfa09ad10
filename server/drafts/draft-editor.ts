import type { FastifyReply, FastifyRequest } from 'fastify'
import { h, type JSX } from 'preact'
import type { Api } from '../../domain/api/api-client.ts'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import type { Posted } from '../../domain/posted.ts'
import type { DraftForm } from '../../domain/drafts/draft-form-posted.ts'
import { beforeLaunch } from '../../domain/drafts/draft-ready.ts'
import { stepsOf, stepToFix, type DraftStep } from '../../domain/drafts/draft-steps.ts'
import { kindLack, type Lack, lackWords } from '../../domain/platform/kind-needs.ts'
import { sameArms } from '../../domain/tests/launch-check.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { targetKind } from '../../domain/tests/test-target.ts'
import { matchesPattern } from '../../domain/tests/url-pattern.ts'
import { DraftEditor, type DraftEditorProps } from '../../views/drafts/draft-editor.tsx'
import { previewAt } from '../../views/drafts/draft-stage.tsx'
import { StepUnread } from '../../views/drafts/shop-silent.tsx'
import { openProducts } from './steps/draft-step-products.ts'
import { type ShopReads, shopReads } from './shop-reads.ts'
import { stepModules } from './steps/draft-steps.ts'
import { queryOf } from '../http/query.ts'
import { page } from '../page/page.ts'
import { apiOf, storeOf } from '../session/visit.ts'
import { outcomes } from '../upstream/api-outcomes.ts'

/** The step that was asked for, or the first. */
export const stepOf = (wanted: unknown, draft: TestDraft): DraftStep =>
  stepsOf(draft.kind).find(step => step === wanted) ?? 'goal'

export type EditorState = {
  draft: TestDraft
  form: DraftForm
  posted?: Posted
  problems?: FieldProblem[]
  /** Fields that are stored, but that the shop could not check. */
  unchecked?: FieldProblem[]
  banner?: DraftEditorProps['banner']
  step?: unknown
  dialog?: JSX.Element
  isConflict?: true
}

/** Sends the editor, open at the requested step, or at the step with the first problem. */
export async function editor(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    draft,
    form,
    posted = {},
    problems = [],
    unchecked,
    banner,
    step: wanted,
    dialog,
    isConflict,
  }: EditorState,
): Promise<FastifyReply> {
  const api = apiOf(request),
    reads = shopReads(),
    store = await api.storeCapabilities({})
  const [{ pages, matches, previews }, products, content] = await Promise.all([
    testedPreviews(api, draft, reads),
    openProducts(api, draft, store),
    // Without the shop, the copy counts as it was when it was last looked at.
    reads.orElse(openContent(api, draft), [sameArms(draft.kind, true)]),
  ])
  const step = stepToFix(problems, stepOf(wanted, draft), draft.kind)
  const props: DraftEditorProps = {
    draft,
    form,
    step,
    problems,
    pages,
    matches,
    previews,
    open: [...beforeLaunch(draft), ...products, ...content],
    timeZone: storeOf(request).timeZone,
    store,
    ...bannerOf(banner, kindLack(draft.kind, store)),
    ...(unchecked && { unchecked }),
    ...(isConflict && { isConflict }),
    savedBy: draft.savedBy ?? null,
    asked: request.method === 'GET' ? queryOf(request).get('ask') : null,
  }
  const shown = await reads.orElse(
    Promise.resolve(stepModules[step].show({ request, api, draft, posted, props, reads })),
    { stage: StepUnread({ step, posted }) },
  )
  return page(
    request,
    reply,
    { title: draft.title.trim() || 'New draft', route: 'draft' },
    h(DraftEditor, {
      ...props,
      silence: reads.silence(),
      shown: { ...shown, ...(dialog && { dialogs: dialog }) },
    }),
  )
}

/** Something that just happened comes before what the shop lacks, which stays. */
const bannerOf = (
  banner: DraftEditorProps['banner'],
  lack: Lack | null,
): Pick<DraftEditorProps, 'banner'> =>
  banner
    ? { banner }
    : lack
      ? {
          banner: { tone: 'warn', title: 'Your shop cannot run this test.', text: lackWords(lack) },
        }
      : {}

/**
 * The problem of a template copy that is still unchanged, so that both arms are the same; empty for
 * any other draft. Asks the shop, because the copy may have been edited in the theme editor.
 */
async function openContent(api: Api, draft: TestDraft): Promise<FieldProblem[]> {
  if (
    targetKind(draft.kind) !== 'template' ||
    !draft.variant?.isOurs ||
    draft.changeState !== 'Unmodified'
  )
    return []
  const { variant } = await api.draftTemplateStatus({ params: { id: draft.id } })
  return variant.changeState === 'Unmodified' ? [sameArms(draft.kind, true)] : []
}

/**
 * All pages of the shop, the pages that the draft tests, and the preview links of both arms on the
 * first of these. None while the shop does not answer; `reads` is told.
 */
export async function testedPreviews(
  api: Api,
  draft: TestDraft,
  reads: Pick<ShopReads, 'failed'>,
): Promise<Pick<DraftEditorProps, 'pages' | 'matches' | 'previews'>> {
  const pages = await outcomes.searchUrls(api, '', reads.failed)
  const patterns =
    draft.kind === 'UrlRedirect'
      ? [draft.controlUrl]
      : draft.domSelectors.flatMap(s => s.urlPatterns)
  const matches = pages.filter(p =>
    patterns.some(pattern => pattern && matchesPattern(pattern, p.url)),
  )
  return {
    pages,
    matches,
    previews: draft.previewUrls.map(url => (matches[0] ? previewAt(url, matches[0].url) : url)) as [
      string,
      string,
    ],
  }
}
