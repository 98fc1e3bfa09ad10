import { weightProblems, type TestDraft } from './draft.ts'
import type { DraftFields } from './draft-update.ts'
import { pageGroups } from './dom-selector.ts'
import type { FieldProblem } from '../problem.ts'
import { instantOf, shopTime } from '../stores/shop-time.ts'
import { draftScheduleProblems, type Schedule } from '../tests/test-schedule.ts'
import { audienceFor, type DraftForm, type FormChange } from './draft-form-posted.ts'

const percent = (fraction: number) => String(Number((fraction * 100).toFixed(2)))

/** The form's fields for a stored draft. */
export function formOf(draft: TestDraft, timeZone: string): DraftForm {
  const {
    title,
    hypothesisDescription,
    controlTitle,
    variantTitle,
    goal,
    controlUrl,
    redirectUrl,
    weights,
    domSelectors,
    audienceIds,
    apiMode,
  } = draft
  const time = (instant: string | null) => (instant ? shopTime(instant, timeZone) : '')
  const groups = pageGroups(domSelectors)
  return {
    title,
    hypothesisDescription,
    controlTitle,
    variantTitle,
    goal,
    controlUrl,
    redirectUrl,
    audienceFor: audienceFor(audienceIds),
    audienceIds,
    apiMode,
    controlWeight: percent(weights[0]),
    variantWeight: percent(weights[1]),
    minimumEffect: percent(draft.minimumEffect),
    expectedVisitors: draft.expectedVisitors === null ? '' : String(draft.expectedVisitors),
    urlPatterns: groups.map(({ urlPatterns }) => urlPatterns.join('\n')).join('\n\n'),
    changes: groups.flatMap(({ actions }, group) =>
      actions.map(action => (group > 0 ? { ...action, group } : action)),
    ),
    launchAt: time(draft.launchAt),
    automaticallyEndAt: time(draft.automaticallyEndAt),
  }
}

export type ParsedDraft = {
  update: DraftFields
  changes: FormChange[]
  urlPatterns: string[]
  problems: FieldProblem[]
  /** `urlPatterns`, grouped. */
  pages: string[][]
  /** The start or end that was changed; null when neither was. */
  schedule: { launchAt?: string | null; automaticallyEndAt?: string | null } | null
}

/**
 * What is needed to read the fields. `origin`: that of the shop; pasted addresses of the shop
 * become paths. `stored`: the form before the merchant typed anything.
 */
export type FormContext = { origin: string; timeZone: string; now: Date; stored: DraftForm }

/**
 * Makes the engine's input from the typed fields, with a message at each field that cannot be
 * stored. A missing value is no problem here, because an unfinished draft can be saved.
 */
export function parseDraft(
  form: DraftForm,
  { origin, timeZone, now, stored }: FormContext,
): ParsedDraft {
  const problems: FieldProblem[] = []
  const at = (field: string, message: string) => problems.push({ field, message })
  const short = (field: string, text: string, limit: number) => {
    if (text.length > limit) at(field, `Keep it to ${limit} characters; these are ${text.length}.`)
  }
  short('title', form.title, 120)
  short('hypothesisDescription', form.hypothesisDescription, 2000)
  short('controlTitle', form.controlTitle, 120)
  short('variantTitle', form.variantTitle, 120)

  const weights = [fraction(form.controlWeight), fraction(form.variantWeight)] as const
  if (weights.some(w => !Number.isFinite(w)))
    at('weights', 'Write each share as a number, for example 50.')
  else problems.push(...weightProblems(weights))

  const minimumEffect = fraction(form.minimumEffect)
  if (!(minimumEffect >= 0.01 && minimumEffect <= 1))
    at('minimumEffect', 'Write a number from 1 to 100.')
  const guess = form.expectedVisitors.replace(/[\s,]/g, ''),
    expectedVisitors = guess ? Number(guess) : null
  if (
    expectedVisitors !== null &&
    !(/^\d{1,8}$/.test(guess) && expectedVisitors >= 1 && expectedVisitors <= 10_000_000)
  )
    at('expectedVisitors', 'Write a whole number from 1 to 10,000,000, or leave it empty.')

  const groups = groupsOf(stored.urlPatterns).length,
    isApart = groups > 1
  const pages = (isApart ? groupsOf(form.urlPatterns) : [linesOf(form.urlPatterns)]).map(lines =>
    lines.map(line => ownPath(line, origin)),
  )
  const urlPatterns = pages.flat()
  const foreign = urlPatterns.find(p => !/^(\*|\/(?![/\\]))/.test(p))
  if (isApart && pages.length !== groups)
    at(
      'urlPatterns',
      `This test makes changes on ${groups} groups of pages, each with its own. Keep the groups apart by an empty line.`,
    )
  else if (pages.some(group => group.length > 20))
    at('urlPatterns', 'Enter at most 20 addresses. Use * to match many pages with one.')
  else if (foreign !== undefined)
    at(
      'urlPatterns',
      `“${foreign.slice(0, 60)}” is not a page of your shop. Begin with /, for example /products/*.`,
    )

  const controlUrl = ownPath(form.controlUrl.trim(), origin)
  if (controlUrl && !/^\/(?![/\\])/.test(controlUrl))
    at(
      'controlUrl',
      'This is not a page of your shop. Begin with /, for example /pages/gift-guide.',
    )
  const redirectUrl = form.redirectUrl.trim()

  form.changes.forEach((change, i) => {
    short(`changes.${i}.selector`, change.selector, 1000)
    short(`changes.${i}.value`, change.value, 20_000)
    short(`changes.${i}.name`, change.name, 100)
  })
  if (form.changes.length > 50) at('changes', 'A test takes at most 50 changes.')
  if (form.audienceFor === 'some' && form.audienceIds.length === 0)
    at('audienceIds', 'Choose at least one audience, or choose Everyone.')
  if (form.audienceIds.length > 10) at('audienceIds', 'A test takes at most 10 audiences.')

  const schedule = parseSchedule(form, stored, timeZone, now)
  problems.push(...schedule.problems)
  const { title, hypothesisDescription, controlTitle, variantTitle, goal, audienceIds, apiMode } =
    form
  return {
    update: {
      title,
      hypothesisDescription,
      controlTitle,
      variantTitle,
      goal,
      weights: [weights[0], weights[1]],
      minimumEffect,
      expectedVisitors,
      controlUrl,
      redirectUrl,
      audienceIds,
      ...(apiMode && { apiMode }),
    },
    changes: form.changes,
    urlPatterns,
    pages,
    problems,
    schedule: schedule.changed,
  }
}

/**
 * The parts of a form that can be stored in spite of `problems`. A field with a problem keeps its
 * stored value. In a change, only the wrong part keeps its stored value, or is empty when the
 * change is new. A problem with the start or the end keeps both.
 */
export function storable(
  { update, changes, urlPatterns, pages, schedule }: ParsedDraft,
  stored: DraftForm,
  problems: readonly FieldProblem[],
): Pick<ParsedDraft, 'update' | 'changes' | 'urlPatterns' | 'pages' | 'schedule'> {
  const isWrong = (...fields: string[]) =>
    problems.some(({ field }) =>
      fields.some(name => field === name || field.startsWith(`${name}.`)),
    )
  const sound = (change: FormChange, i: number): FormChange => {
    const before =
      changes.length === stored.changes.length && stored.changes[i]?.kind === change.kind
        ? stored.changes[i]
        : undefined
    const part = (name: 'selector' | 'value' | 'name') =>
      isWrong(`changes.${i}.${name}`) ? (before?.[name] ?? '') : change[name]
    return { ...change, selector: part('selector'), value: part('value'), name: part('name') }
  }
  return {
    update: Object.fromEntries(Object.entries(update).filter(([field]) => !isWrong(field))),
    changes: problems.some(({ field }) => field === 'changes')
      ? stored.changes
      : changes.map(sound),
    urlPatterns: isWrong('urlPatterns') ? linesOf(stored.urlPatterns) : urlPatterns,
    pages: isWrong('urlPatterns') ? groupsOf(stored.urlPatterns) : pages,
    schedule: isWrong('launchAt', 'automaticallyEndAt') ? null : schedule,
  }
}

/**
 * Reads start and end. A stored instant that has passed meanwhile and was not changed is no
 * problem.
 */
function parseSchedule(
  form: DraftForm,
  stored: DraftForm,
  timeZone: string,
  now: Date,
): { problems: FieldProblem[]; changed: ParsedDraft['schedule'] } {
  const isTouched = {
    launchAt: form.launchAt.trim() !== stored.launchAt,
    automaticallyEndAt: form.automaticallyEndAt.trim() !== stored.automaticallyEndAt,
  }
  if (!isTouched.launchAt && !isTouched.automaticallyEndAt) return { problems: [], changed: null }
  const read = (field: keyof Schedule) =>
    form[field].trim() ? instantOf(form[field], timeZone) : null
  const schedule: Schedule = {
    launchAt: read('launchAt'),
    automaticallyEndAt: read('automaticallyEndAt'),
  }
  const unread = (['launchAt', 'automaticallyEndAt'] as const).filter(
    field => form[field].trim() && !schedule[field],
  )
  const problems =
    unread.length > 0
      ? unread.map(field => ({
          field,
          message: 'There is no such day and time. Write it like 2026-11-25T09:00.',
        }))
      : draftScheduleProblems(schedule, now).filter(
          ({ field }) => isTouched[field as keyof Schedule] || field === 'automaticallyEndAt',
        )
  const told = (field: keyof Schedule) =>
    isTouched[field] ? { [field]: schedule[field]?.toISOString() ?? null } : {}
  return { problems, changed: { ...told('launchAt'), ...told('automaticallyEndAt') } }
}

/**
 * Splits the text into groups of lines at empty lines. Returns at least one group, which may be
 * empty.
 */
const groupsOf = (text: string): string[][] => {
  const groups = text
    .split(/\n\s*\n/)
    .map(linesOf)
    .filter(lines => lines.length > 0)
  return groups.length > 0 ? groups : [[]]
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)

/** Converts percent as typed to a fraction: "50", "50 %", "33,3". NaN for other text. */
function fraction(text: string): number {
  const figure = text.trim().replace(/\s*%$/, '').replace(',', '.')
  return /^\d+(\.\d+)?$/.test(figure) ? Number((Number(figure) / 100).toFixed(6)) : NaN
}

/**
 * "https://shop.example/products/*" → "/products/*" when the origin is the shop's. Other text is
 * returned unchanged.
 */
function ownPath(text: string, shopOrigin: string): string {
  if (!/^https?:\/\//i.test(text)) return text
  const rest =
    text.slice(0, shopOrigin.length).toLowerCase() === shopOrigin.toLowerCase()
      ? text.slice(shopOrigin.length)
      : null
  return rest === null || (rest && !/^[/?#]/.test(rest)) ? text : rest || '/'
}
