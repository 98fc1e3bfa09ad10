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
import { busyReason, isShopSilent, outcomes, unanswered } from '../upstream/api-outcomes.ts'
import { changesAlike, fieldOfForm, groupsOf } from './draft-save-changes.ts'

/** The result of a posted editor form. `form` is always what the merchant typed. */
export type Saved =
  /** `unchecked`: fields that are stored, but that the shop could not check. */
  | { done: 'saved'; draft: TestDraft; unchecked: FieldProblem[] }
  | { done: 'launched'; testId: string }
  /** Stored but not launched: the merchant must confirm the launch. */
  | { done: 'asked'; draft: TestDraft }
  /**
   * The fields in `problems` are not stored. The other fields are stored only by an autosave, or
   * when only the launch was refused. `unlaunched`: all is stored, and why the shop did not answer
   * the launch.
   */
  | {
      done: 'refused'
      draft: TestDraft
      form: DraftForm
      problems: FieldProblem[]
      unlaunched?: string
    }
  /**
   * Someone else saved another version meanwhile. `draft` is that version; nothing of this form is
   * stored.
   */
  | { done: 'conflict'; draft: TestDraft; form: DraftForm }

/** What a step of the editor stores with the draft, besides its fields. */
export type OwnPart = { update: Pick<DraftUpdate, 'products'>; problems: FieldProblem[] }

/**
 * A draft to save, and how to read its form. `part` returns what the step adds to the save. `keep`
 * then stores in the shop what the step keeps there (draft-steps.ts). `mustAsk` says whether the
 * merchant must confirm the launch.
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

/**
 * Act of a save that the page's script sends on its own. A wrong field does not keep the others
 * from being stored, because the merchant does not wait for the answer.
 */
export const autosave = 'autosave'

/**
 * Stores what was typed and, with `launch`, launches the draft when nothing prevents it. Each
 * problem names its field.
 */
export async function saveDraft(wanted: Saving): Promise<Saved> {
  const { api, id, launch } = wanted
  try {
    return await save(wanted)
  } catch (error) {
    // After a double click on Launch, any call for the second request may find the draft gone. The
    // engine then names the test that the first request launched.
    if (!launch || !(error instanceof HttpProblem) || error.status !== 404) throw error
    return { done: 'launched', testId: (await api.launchDraft({ params: { id } })).testId }
  }
}

/**
 * Reads the page's id and the sequence number of this save, as the island sends them: "1234-5678.3"
 * (islands/drafts/autosave-form.ts). Undefined when there are none.
 */
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
  const redirect = await redirectProblems(api, stored, read),
    { unchecked } = redirect
  const problems = [...read.problems, ...redirect.problems, ...part.problems]
  const by = savedBy(posted),
    version = /^\d{1,9}$/.test(String(posted.version)) ? Number(posted.version) : undefined
  // Nothing is stored. The form keeps the version that it was made from, so that its next save
  // still reports a version that someone else saved.
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
  // A later save of the same page arrived before this one, so this one changed nothing.
  if (draft.isLate)
    return launch
      ? launchSaved(wanted, draft, formOf(draft, timeZone))
      : { done: 'saved', draft, unchecked }
  problems.push(...toldAt(draft.problems ?? []), ...(await keep(draft)))
  if (problems.length > 0) return { done: 'refused', draft, form, problems }
  return launch ? launchSaved(wanted, draft, form) : { done: 'saved', draft, unchecked }

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
    if (isShopSilent(error))
      return { done: 'refused', draft, form, problems: [], unlaunched: whyUnlaunched(error) }
    throw error
  }
}

const whyUnlaunched = (error: unknown): string =>
  unanswered(
    error,
    'Your shop did not answer, so the test could not be launched. Try again in a minute.',
  )

/** Said at a page that is stored although the shop did not say whether it exists. */
const uncheckedRedirect: FieldProblem = {
  field: 'redirectUrl',
  message:
    'Your shop did not answer, so this address is saved but not checked. It is checked before the launch.',
}
/** The same, when the shop lets us ask no more for a moment. */
export const uncheckedYet: FieldProblem = {
  field: 'redirectUrl',
  message:
    'Your shop lets us look at no more of its pages for a moment, so this address is saved but not checked. It is checked before the launch.',
}

/** By the word in the address of the page that says so; none for any other word. */
export function uncheckedBy(word: string): FieldProblem[] {
  if (word === 'yet') return [uncheckedYet]
  return word === uncheckedRedirect.field ? [uncheckedRedirect] : []
}

/**
 * Asks the shop whether a changed redirect URL is one of its pages and exists. Only the shop knows;
 * while it does not answer, the address is stored unchecked.
 */
async function redirectProblems(
  api: Api,
  stored: TestDraft,
  { update }: ParsedDraft,
): Promise<{ problems: FieldProblem[]; unchecked: FieldProblem[] }> {
  const none = { problems: [], unchecked: [] }
  if (
    stored.kind !== 'UrlRedirect' ||
    !update.redirectUrl ||
    update.redirectUrl === stored.redirectUrl
  )
    return none
  let why: unknown
  const isValid = await outcomes.isRedirectUrlValid(api, update.redirectUrl, error => {
    why = error
  })
  if (isValid) return none
  if (isShopSilent(why))
    return { ...none, unchecked: [busyReason(why) ? uncheckedYet : uncheckedRedirect] }
  if (!(why instanceof HttpProblem) || why.status >= 500 || why.status === 401) throw why
  const message = why.fields[0]?.message ?? why.message
  return { ...none, problems: [{ field: 'redirectUrl', message }] }
}

/*
 * A page that the merchant leaves may send a save while its previous save is still on its way, and
 * `stored` may be older than both. So all that the page typed is sent, even where it equals
 * `stored`: the engine compares it with what is stored by then.
 */

/** Start and end. A time that the merchant did not change keeps its stored second. */
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
