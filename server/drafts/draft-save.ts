import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Api } from '../../domain/api/api-client.ts'
import { changeField } from '../../domain/drafts/change-kind.ts'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import { pageGroups, type PageGroup } from '../../domain/drafts/dom-selector.ts'
import { formOf, parseDraft, storable, type ParsedDraft } from '../../domain/drafts/draft-form.ts'
import { typed, type DraftForm, type Posted } from '../../domain/drafts/draft-form-posted.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import { beforeLaunch } from '../../domain/drafts/draft-ready.ts'
import { ownSave, pageSaved, savedBy } from './draft-page-saves.ts'

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

/** Whose draft is saved, and how its form is read. `keep` stores what the step has beside the draft itself (draft-steps.ts), `isKept` tells whether it stands there already; `mustAsk`: whether to ask before launching it. */
export type Saving = {
  api: Api
  id: string
  posted: Posted
  launch: boolean
  timeZone: string
  now: Date
  keep: (draft: TestDraft) => Promise<FieldProblem[]>
  isKept: (draft: TestDraft) => Promise<boolean>
  mustAsk: (draft: TestDraft) => Promise<boolean>
}

/** Stores what was typed; with `launch`, launches it when nothing prevents that. Each problem is told at its field. */
export async function saveDraft(wanted: Saving): Promise<Saved> {
  const { id } = wanted
  // Both clicks of a double click arrive at once, and saving takes several calls: one after the other.
  const before = saving.get(id) ?? Promise.resolve()
  const mine = before.then(() => saveOrFind(wanted))
  const settled = mine.then(
    () => {},
    () => {},
  )
  saving.set(id, settled)
  try {
    return await mine
  } finally {
    if (saving.get(id) === settled) saving.delete(id)
  }
}
const saving = new Map<string, Promise<void>>()

/** Longest that a page waits for what was sent before it: who sends a form and never ends it holds up nobody for longer. Milliseconds. */
const patience = 10_000

/** Done when what has been sent of a draft is stored: a page that is loaded again shows what it sent as it was left, which may have come behind a save that was under way. */
export async function draftSaved(id: string): Promise<void> {
  const waiting = new AbortController(),
    late = setTimeout(patience, true, { signal: waiting.signal, ref: false }).catch(() => true)
  for (let under = next(); under && !(await Promise.race([under, late])); under = next());
  waiting.abort()
  function next() {
    return saving.get(id) ?? arriving.get(id)?.values().next().value
  }
}

/** Forms of a draft that are posted and not answered yet: a page that is asked for has no body to wait for, and would overtake them. */
const arriving = new Map<string, Set<Promise<void>>>()
/** From its first line on a posted form counts as under way, until it is answered: before it is known who sends it, as the page that follows may know that sooner. */
export async function draftArrives(
  { method, routeOptions, params }: FastifyRequest,
  { raw }: FastifyReply,
): Promise<void> {
  if (method !== 'POST' || routeOptions.url !== paths.draft(':id')) return
  const { id } = params as { id: string }
  const answered = new Promise<void>(resolve => {
    raw.once('finish', resolve).once('close', resolve)
  })
  const all = arriving.get(id) ?? new Set()
  arriving.set(id, all.add(answered))
  void answered.then(() => {
    if (all.delete(answered) && all.size === 0) arriving.delete(id)
  })
}

async function saveOrFind(wanted: Saving): Promise<Saved> {
  const { api, id, launch } = wanted
  try {
    return await save(wanted)
  } catch (error) {
    // The second click of a double click on Launch finds the draft gone, at whatever step; the engine knows what became of it.
    if (!launch || !(error instanceof HttpProblem) || error.status !== 404) throw error
    return { done: 'launched', testId: (await api.launchDraft({ params: { id } })).testId }
  }
}

/** What the page saves by itself: nobody waits for its answer, so a field that is wrong keeps no other from being stored. */
export const autosave = 'autosave'

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
  const problems = [...read.problems, ...(await redirectProblems(api, stored, read))]
  const posting = savedBy(posted),
    own = ownSave(
      id,
      posting,
      /^\d{1,9}$/.test(String(posted.version)) ? Number(posted.version) : undefined,
      stored.version,
    )
  // What was typed as this was on its way came before it.
  if (own.isLate)
    return launch ? launchSaved(wanted, stored, before) : { done: 'saved', draft: stored }
  let { version } = own
  // What stands there already makes no new version: a page that is gone may have sent it, and the next one stands on this.
  const isThere =
    isPart && isSame(stored, storable(read, before, problems)) && (await wanted.isKept(stored))
  if (isThere && problems.length === 0) return { done: 'saved', draft: stored }
  // Nothing is stored: the form stays that of the version it was made from, so that somebody else's is told when it is saved.
  if (problems.length > 0 && (!isPart || isThere))
    return {
      done: 'refused',
      draft: { ...stored, version: version ?? stored.version },
      form,
      problems,
    }

  let draft = stored
  for (;;) {
    const parsed = storable(read, before, problems)
    try {
      draft = await api.updateDraft({
        params: { id },
        body: { ...parsed.update, ...(version !== undefined && { version }) },
      })
      version = draft.version
      if (draft.kind === 'PageElement') draft = await saveChanges(api, draft, parsed)
      version = draft.version
      if (parsed.schedule)
        draft = await api.scheduleDraft({ params: { id }, body: parsed.schedule })
      const kept = await keep(draft)
      problems.push(...kept)
      // What was kept made another version of it.
      if (kept.length > 0 || draft.kind === 'Price') draft = await api.draft({ params: { id } })
      break
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error
      if (error.status === 409 && error.fields.some(({ field }) => field === 'version')) {
        const theirs = await api.draft({ params: { id } })
        // The first click of the same double click, or the save as the page was left, stored the very same words: not a conflict.
        if (!isSame(theirs, parsed) || !(await wanted.isKept(theirs)))
          return { done: 'conflict', draft: theirs, form: typed(formOf(theirs, timeZone), posted) }
        draft = theirs
        break
      }
      const refused = error.fields.map(({ field, message }) => ({
          field: formField(field, parsed),
          message,
        })),
        known = problems.length
      if (refused.length === 0) throw error
      problems.push(...refused.filter(({ field }) => !problems.some(each => each.field === field)))
      // Once more without what the engine will not have.
      if (!isPart || problems.length === known) break
    }
  }
  pageSaved(id, posting, own.version, draft.version)
  if (problems.length > 0) return { done: 'refused', draft, form, problems }
  return launch ? launchSaved(wanted, draft, form) : { done: 'saved', draft }
}

/** Field of the form that the engine's stands for: of several groups of pages each counts its own changes. */
function formField(field: string, { changes }: Storable): string {
  if (/^domSelectors\.\d+\.urlPatterns/.test(field)) return 'urlPatterns'
  const [, group, at] = /^domSelectors\.(\d+)\.actions\.(\d+)/.exec(field) ?? []
  const among = changes.flatMap((change, i) => ((change.group ?? 0) === Number(group) ? [i] : []))
  return changeField(
    field.replace(/(?<=^domSelectors\.\d+\.actions\.)\d+/, String(among[Number(at)] ?? at)),
  )
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

function isSame(theirs: TestDraft, parsed: Storable): boolean {
  const { update, schedule } = parsed
  if (schedule) return false
  const words = Object.entries(update).every(
    ([field, value]) =>
      JSON.stringify(theirs[field as keyof typeof update]) === JSON.stringify(value),
  )
  return words && (theirs.kind !== 'PageElement' || changesAlike(theirs, parsed))
}

/** The changes hang on the variant's hypothesis. Untouched ones are not written again. */
async function saveChanges(api: Api, draft: TestDraft, parsed: Storable): Promise<TestDraft> {
  if (changesAlike(draft, parsed)) return draft
  const variant = draft.hypotheses.find(h => h.arm === 'variant')!
  await api.setDomSelectors({
    params: { id: variant.id },
    body: {
      domSelectors: groupsOf(parsed).map((group, i) => ({
        id: draft.domSelectors[i]?.id ?? randomUUID(),
        ...group,
      })),
    },
  })
  return api.draft({ params: { id: draft.id } })
}

/** Changes with the pages they are made on. One of a group that is not there is of the first. */
const groupsOf = ({ changes, pages }: Storable): PageGroup[] =>
  pages.map((urlPatterns, i) => ({
    urlPatterns,
    actions: changes
      .filter(({ group = 0 }) => (group < pages.length ? group : 0) === i)
      .map(({ group: _, ...action }) => action),
  }))

function changesAlike({ domSelectors }: TestDraft, parsed: Storable): boolean {
  const plain = (groups: readonly PageGroup[]) =>
    JSON.stringify(
      pageGroups(groups)
        .filter(({ urlPatterns, actions }) => urlPatterns.length + actions.length > 0)
        .map(({ urlPatterns, actions }) => [
          urlPatterns,
          actions.map(({ selector, kind, value, name }) => [selector, kind, value, name]),
        ]),
    )
  return plain(domSelectors) === plain(groupsOf(parsed))
}

type Storable = ReturnType<typeof storable>
