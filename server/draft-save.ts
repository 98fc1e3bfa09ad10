import { randomUUID } from 'node:crypto'
import type { Api } from '../domain/api-client.ts'
import { launchProblems, type TestDraft } from '../domain/draft.ts'
import { formOf, parseDraft, typed, type DraftForm, type ParsedDraft, type Posted } from '../domain/draft-form.ts'
import { HttpProblem, type FieldProblem } from '../domain/problem.ts'

/** What came of a posted editor form: where it leads, or why it stays. `form` is always what was typed. */
export type Saved =
  | { done: 'saved'; draft: TestDraft }
  | { done: 'launched'; testId: string }
  | { done: 'refused'; draft: TestDraft; form: DraftForm; problems: FieldProblem[] }
  /** Somebody saved another version meanwhile; `draft` is theirs, and nothing of ours is stored. */
  | { done: 'conflict'; draft: TestDraft; form: DraftForm }

/** Stores what was typed; with `launch`, launches it when nothing stands in the way. What is wrong is said at its field. */
export async function saveDraft(api: Api, id: string, posted: Posted, launch: boolean): Promise<Saved> {
  // Both clicks of a double click arrive at once, and saving takes several calls: one after the other.
  const before = saving.get(id) ?? Promise.resolve()
  const mine = before.then(() => saveOrFind(api, id, posted, launch))
  const settled = mine.then(() => {}, () => {})
  saving.set(id, settled)
  try {
    return await mine
  } finally {
    if (saving.get(id) === settled) saving.delete(id)
  }
}
const saving = new Map<string, Promise<void>>()

async function saveOrFind(api: Api, id: string, posted: Posted, launch: boolean): Promise<Saved> {
  try {
    return await save(api, id, posted, launch)
  } catch (error) {
    // The second click of a double click on Launch finds the draft gone, at whatever step; the engine knows what became of it.
    if (!launch || !(error instanceof HttpProblem) || error.status !== 404) throw error
    return { done: 'launched', testId: (await api.launchDraft({ params: { id } })).testId }
  }
}

async function save(api: Api, id: string, posted: Posted, launch: boolean): Promise<Saved> {
  const stored = await api.draft({ params: { id } })
  const form = typed(formOf(stored), posted)
  const parsed = parseDraft(form, new URL(stored.previewUrls[0]).origin)
  const problems = [...parsed.problems, ...await redirectProblems(api, stored, parsed)]
  if (problems.length > 0) return { done: 'refused', draft: stored, form, problems }

  let draft: TestDraft
  try {
    const version = Number(posted.version)
    draft = await api.updateDraft({ params: { id }, body: { ...parsed.update, ...(Number.isInteger(version) ? { version } : {}) } })
    if (draft.kind === 'PageElement') draft = await saveChanges(api, draft, parsed)
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error
    if (error.status === 409) {
      const theirs = await api.draft({ params: { id } })
      // The first click of the same double click stored the very same words: not a conflict.
      if (launch && isSame(theirs, parsed)) return launchSaved(api, theirs, form)
      return { done: 'conflict', draft: theirs, form: typed(formOf(theirs), posted) }
    }
    if (error.fields.length > 0) return { done: 'refused', draft: stored, form, problems: error.fields }
    throw error
  }
  if (!launch) return { done: 'saved', draft }
  return launchSaved(api, draft, form)
}

async function launchSaved(api: Api, draft: TestDraft, form: DraftForm): Promise<Saved> {
  const problems = launchProblems(draft)
  if (problems.length > 0) return { done: 'refused', draft, form, problems }
  try {
    return { done: 'launched', testId: (await api.launchDraft({ params: { id: draft.id } })).testId }
  } catch (error) {
    if (error instanceof HttpProblem && error.fields.length > 0) return { done: 'refused', draft, form, problems: error.fields }
    throw error
  }
}

/** Only the shop can tell whether a redirect's page is its own and is there. */
async function redirectProblems(api: Api, stored: TestDraft, { update }: ParsedDraft): Promise<FieldProblem[]> {
  if (stored.kind !== 'UrlRedirect' || !update.redirectUrl || update.redirectUrl === stored.redirectUrl) return []
  try {
    await api.validateRedirectUrl({ query: { redirectUrl: update.redirectUrl } })
    return []
  } catch (error) {
    if (error instanceof HttpProblem && error.status < 500 && error.status !== 401) return [{ field: 'redirectUrl', message: error.fields[0]?.message ?? error.message }]
    throw error
  }
}

function isSame(theirs: TestDraft, { update, changes, urlPatterns }: ParsedDraft): boolean {
  const words = Object.entries(update).every(([field, value]) => JSON.stringify(theirs[field as keyof typeof update]) === JSON.stringify(value))
  return words && (theirs.kind !== 'PageElement' || changesAlike(theirs, changes, urlPatterns))
}

/** The changes hang on the variant's hypothesis. Untouched ones are not written again. */
async function saveChanges(api: Api, draft: TestDraft, { changes, urlPatterns }: ParsedDraft): Promise<TestDraft> {
  if (changesAlike(draft, changes, urlPatterns)) return draft
  const variant = draft.hypotheses.find(h => h.arm === 'variant')!
  await api.setDomSelectors({ params: { id: variant.id }, body: { domSelectors: [{ id: draft.domSelectors[0]?.id ?? randomUUID(), actions: changes, urlPatterns }] } })
  return api.draft({ params: { id: draft.id } })
}

function changesAlike({ domSelectors }: TestDraft, changes: ParsedDraft['changes'], urlPatterns: string[]): boolean {
  return JSON.stringify(domSelectors.flatMap(s => s.urlPatterns)) === JSON.stringify(urlPatterns)
    && JSON.stringify(domSelectors.flatMap(s => s.actions).map(plain)) === JSON.stringify(changes.map(plain))
}

const plain = ({ selector, kind, value, name }: { selector: string; kind: string; value: string; name: string }) => [selector, kind, value, name]
