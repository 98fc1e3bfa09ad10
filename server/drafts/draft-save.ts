import { randomUUID } from 'node:crypto'
import type { Api } from '../../domain/api/api-client.ts'
import type { DomSelector } from '../../domain/drafts/dom-selector.ts'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import { formOf, parseDraft, storable, type ParsedDraft } from '../../domain/drafts/draft-form.ts'
import type { Posted } from '../../domain/posted.ts'
import { typed, type DraftForm } from '../../domain/drafts/draft-form-posted.ts'
import { beforeLaunch } from '../../domain/drafts/draft-ready.ts'
import type { DraftUpdate, PageSave } from '../../domain/drafts/draft-update.ts'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import { changesAlike, fieldOfForm, groupsOf } from './draft-save-changes.ts'

/** What came of a posted editor form: where it leads, or why it stays. `form` is always what was typed. */
export type Saved =
  | { done: 'saved'; draft: TestDraft }
  | { done: 'launched'; testId: string }
  /** Stored, not launched: the merchant is asked once more. */
  | { done: 'asked'; draft: TestDraft }
  /** The fields of `problems` are not stored. The others are where the page saved by itself, or where only the launch is refused. */
  | { done: 'refused'; draft: TestDraft; form: DraftForm; problems: FieldProblem[] }
  /** Somebody saved another version meanwhile; `draft` is theirs, and nothing of ours is stored. */
  | { done: 'conflict'; draft: TestDraft; form: DraftForm }

/** What a step of the editor stores with the draft, besides its fields. */
export type OwnPart = { update: Pick<DraftUpdate, 'products'>; problems: FieldProblem[] }

/**
 * Whose draft is saved, and how its form is read. `part`: what the step adds to the save. `keep` then stores in the shop
 * what the step has there (draft-steps.ts). `mustAsk`: whether to ask before launching it.
 */
export type Saving = {
  api: Api
  id: string
  posted: Posted
  launch: boolean
  timeZone: string
  now: Date
  part: (draft: TestDraft) => Promise<OwnPart>
  keep: (draft: TestDraft) => Promise<FieldProblem[]>
  mustAsk: (draft: TestDraft) => Promise<boolean>
}

/** What the page saves by itself: nobody waits for its answer, so a field that is wrong keeps no other from being stored. */
export const autosave = 'autosave'

/** Stores what was typed; with `launch`, launches it when nothing prevents that. Each problem is told at its field. */
export async function saveDraft(wanted: Saving): Promise<Saved> {
  const { api, id, launch } = wanted
  try {
    return await save(wanted)
  } catch (error) {
    // The second click of a double click on Launch finds the draft gone, at whatever step; the engine knows what became of it.
    if (!launch || !(error instanceof HttpProblem) || error.status !== 404) throw error
    return { done: 'launched', testId: (await api.launchDraft({ params: { id } })).testId }
  }
}

/** "1234-5678.3" as the island sends it (islands/drafts/autosave-form.ts). */
export function savedBy({ savedBy: text }: Posted): PageSave | undefined {
  const [, page, turn] = /^([\w-]{1,64})\.([1-9]\d{0,5})$/.exec(String(text)) ?? []
  return page ? { page, turn: Number(turn) } : undefined
}

async function save(wanted: Saving): Promise<Saved> {
  const { api, id, posted, launch, timeZone, now, keep } = wanted
  const stored = await api.draft({ params: { id } }),
    before = formOf(stored, timeZone)
  const form = typed(before, posted),
    isPart = posted.act === autosave
  const read = parseDraft(form, {
    origin: new URL(stored.previewUrls[0]).origin,
    timeZone,
    now,
    stored: before,
  })
  const part = await wanted.part(stored)
  const problems = [
    ...read.problems,
    ...(await redirectProblems(api, stored, read)),
    ...part.problems,
  ]
  const by = savedBy(posted),
    version = /^\d{1,9}$/.test(String(posted.version)) ? Number(posted.version) : undefined
  // Nothing is stored: the form stays that of the version it was made from, so that somebody else's is told when it is saved.
  if (problems.length > 0 && !isPart) {
    const isOwn = by !== undefined && stored.savedBy === by.page
    const drawn = { ...stored, version: isOwn ? stored.version : (version ?? stored.version) }
    return { done: 'refused', draft: drawn, form, problems }
  }

  const parsed = storable(read, before, problems)
  const update: DraftUpdate = {
    ...parsed.update,
    ...part.update,
    ...scheduleOf(stored, parsed, posted),
    ...selectorsOf(stored, parsed, posted),
    ...(version !== undefined && { version }),
    ...(by && { savedBy: by }),
    ...(isPart && { storeRest: true }),
  }
  let draft: Awaited<ReturnType<Api['updateDraft']>>
  try {
    draft = await api.updateDraft({ params: { id }, body: update })
  } catch (error) {
    if (!(error instanceof HttpProblem) || error.fields.length === 0) throw error
    if (error.status === 409) {
      const theirs = await api.draft({ params: { id } })
      return { done: 'conflict', draft: theirs, form: typed(formOf(theirs, timeZone), posted) }
    }
    return { done: 'refused', draft: stored, form, problems: toldAt(error.fields) }
  }
  // What was typed as this was on its way came before it.
  if (draft.isLate)
    return launch ? launchSaved(wanted, draft, formOf(draft, timeZone)) : { done: 'saved', draft }
  problems.push(...toldAt(draft.problems ?? []), ...(await keep(draft)))
  if (problems.length > 0) return { done: 'refused', draft, form, problems }
  return launch ? launchSaved(wanted, draft, form) : { done: 'saved', draft }

  function toldAt(fields: readonly FieldProblem[]): FieldProblem[] {
    return fields
      .map(({ field, message }) => ({ field: fieldOfForm(field, parsed, update), message }))
      .filter(({ field }) => !problems.some(each => each.field === field))
  }
}

async function launchSaved(
  { api, mustAsk }: Saving,
  draft: TestDraft,
  form: DraftForm,
): Promise<Saved> {
  const problems = beforeLaunch(draft)
  if (problems.length > 0) return { done: 'refused', draft, form, problems }
  try {
    if (await mustAsk(draft)) return { done: 'asked', draft }
    return {
      done: 'launched',
      testId: (await api.launchDraft({ params: { id: draft.id } })).testId,
    }
  } catch (error) {
    if (error instanceof HttpProblem && error.fields.length > 0)
      return { done: 'refused', draft, form, problems: error.fields }
    throw error
  }
}

/** Only the shop can tell whether a redirect's page is its own and is there. */
async function redirectProblems(
  api: Api,
  stored: TestDraft,
  { update }: ParsedDraft,
): Promise<FieldProblem[]> {
  if (
    stored.kind !== 'UrlRedirect' ||
    !update.redirectUrl ||
    update.redirectUrl === stored.redirectUrl
  )
    return []
  try {
    await api.validateRedirectUrl({ query: { redirectUrl: update.redirectUrl } })
    return []
  } catch (error) {
    if (error instanceof HttpProblem && error.status < 500 && error.status !== 401)
      return [{ field: 'redirectUrl', message: error.fields[0]?.message ?? error.message }]
    throw error
  }
}

/*
 * A page that is being left may send a save while its last one is on its way, and `stored` may be of before that one. So
 * whatever it typed is sent whether or not it differs from `stored`: the engine compares it with what stands by then.
 */

/** Start and end: those that were not touched to the very second that is stored. */
function scheduleOf(
  { launchAt, automaticallyEndAt }: TestDraft,
  { schedule }: Storable,
  posted: Posted,
): Pick<DraftUpdate, 'schedule'> {
  if (posted['savedBy'] === undefined || posted['launchAt'] === undefined)
    return schedule ? { schedule } : {}
  return { schedule: { launchAt, automaticallyEndAt, ...schedule } }
}

function selectorsOf(
  stored: TestDraft,
  parsed: Storable,
  posted: Posted,
): Pick<DraftUpdate, 'domSelectors'> {
  const isTyped = posted['changes'] !== undefined || posted['urlPatterns'] !== undefined
  if (
    stored.kind !== 'PageElement' ||
    (changesAlike(stored, parsed) && !(isTyped && savedBy(posted)))
  )
    return {}
  const domSelectors = groupsOf(parsed).map((group, i): DomSelector => ({
    id: stored.domSelectors[i]?.id ?? randomUUID(),
    ...group,
  }))
  return { domSelectors }
}

type Storable = ReturnType<typeof storable>
