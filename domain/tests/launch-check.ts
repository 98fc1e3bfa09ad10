import * as Type from 'typebox'
import { capabilities, type Capability } from '../access.ts'
import { Instant, Maybe } from '../api/call.ts'
import { formatDate } from '../figures.ts'
import { type PlanFacts, planWords } from '../drafts/plan-words.ts'
import type { FieldProblem } from '../problem.ts'
import type { TestKind } from './test-kind.ts'

/**
 * The checks before a launch, in the order in which they are shown. `field`: the field of the draft
 * editor where a problem is fixed. `fields`: the fields of a draft whose problems belong to this
 * check. The first check gets the problems of all other fields.
 */
const rows = {
  filled: { title: 'The draft', field: 'title', fields: [] },
  plan: { title: 'Plan', field: null, fields: ['kind'] },
  shop: { title: 'Your shop', field: null, fields: [] },
  visitors: { title: 'Visitor limit', field: null, fields: [] },
  script: { title: 'Twinshelf script', field: null, fields: [] },
  target: {
    title: 'Templates and themes',
    field: 'control',
    fields: ['control', 'variant', 'content', 'resourceIds'],
  },
  pages: { title: 'Tested pages', field: 'urlPatterns', fields: ['urlPatterns'] },
  redirect: { title: 'Redirect', field: 'redirectUrl', fields: ['controlUrl', 'redirectUrl'] },
  products: { title: 'Products and prices', field: 'products', fields: ['products'] },
  sharing: { title: 'Other tests', field: null, fields: [] },
  experiments: { title: 'Your shop’s own experiments', field: null, fields: [] },
  audience: { title: 'Audience', field: 'audienceIds', fields: ['audienceIds'] },
  schedule: {
    title: 'Start and end',
    field: 'launchAt',
    fields: ['launchAt', 'automaticallyEndAt'],
  },
  length: { title: 'Planned length', field: 'minimumEffect', fields: [] },
  browser: { title: 'Browser', field: null, fields: [] },
  opens: { title: 'Opening the pages', field: null, fields: [] },
  shown: { title: 'Showing the arms', field: null, fields: [] },
  errors: { title: 'Errors on the pages', field: 'changes', fields: [] },
  selectors: { title: 'Changed elements', field: 'changes', fields: [] },
  prices: { title: 'Prices on the pages', field: 'products', fields: [] },
  api: { title: 'Your code', field: 'apiMode', fields: [] },
} as const satisfies Record<
  string,
  { title: string; field: string | null; fields: readonly string[] }
>

export type LaunchCheckName = keyof typeof rows
export const launchCheckNames = Object.keys(rows) as [LaunchCheckName, ...LaunchCheckName[]]
export const checkTones = ['good', 'warn', 'bad'] as const
export type CheckTone = (typeof checkTones)[number]

/** One line of the list. Red (`bad`) prevents the launch; amber (`warn`) only warns. */
export const LaunchCheck = Type.Object({
  name: Type.Enum(launchCheckNames),
  title: Type.String(),
  tone: Type.Enum([...checkTones]),
  message: Type.String(),
  /** What to do about it. */
  remedy: Maybe(Type.String()),
  /** The draft's field where the remedy is done. */
  field: Maybe(Type.String()),
  /** The capability that the store's plan does not open. */
  capability: Type.Optional(Type.Enum([...capabilities])),
  /** A page of the shop's admin where the remedy is done. */
  fixAt: Type.Optional(Type.String()),
})
export type LaunchCheck = Type.Static<typeof LaunchCheck>

export const browserCheckStates = ['none', 'running', 'done', 'stale', 'failed'] as const
export const LaunchChecks = Type.Object({
  /** The version of the draft that was checked. */
  version: Type.Integer(),
  checks: Type.Array(LaunchCheck),
  /** What a real browser found. `stale`: the draft was changed since then. */
  browser: Type.Object({
    state: Type.Enum([...browserCheckStates]),
    checks: Type.Array(LaunchCheck),
    checkedAt: Maybe(Instant),
    jobId: Maybe(Type.String()),
    progress: Type.Number(),
    message: Maybe(Type.String()),
  }),
  /**
   * `tests`: running tests that would share visitors with this one. `days`: the planned length with
   * them. `daysAlone`: the length without them.
   */
  sharing: Type.Object({
    tests: Type.Array(Type.Object({ id: Type.String(), title: Type.String() })),
    days: Type.Integer(),
    daysAlone: Type.Integer(),
  }),
})
export type LaunchChecks = Type.Static<typeof LaunchChecks>

type Said = { remedy?: string; field?: string; capability?: Capability; fixAt?: string | null }
export const launchCheck = (
  name: LaunchCheckName,
  tone: CheckTone,
  message: string,
  { remedy, field, capability, fixAt }: Said = {},
): LaunchCheck => ({
  name,
  title: rows[name].title,
  tone,
  message,
  remedy: remedy ?? null,
  field: field ?? rows[name].field,
  ...(capability && { capability }),
  ...(fixAt && { fixAt }),
})
export const good = (name: LaunchCheckName, message: string): LaunchCheck =>
  launchCheck(name, 'good', message)

export const redsOf = (checks: readonly LaunchCheck[]): LaunchCheck[] =>
  checks.filter(check => check.tone === 'bad')
export const ambersOf = (checks: readonly LaunchCheck[]): LaunchCheck[] =>
  checks.filter(check => check.tone === 'warn')

/**
 * The problem when the variant shows the same as the control. Redirects, changes and prices have
 * their own messages for this.
 */
export function sameArms(kind: TestKind, isCopy: boolean): FieldProblem {
  if (isCopy) return { field: 'content', message: sameContent }
  const what = kind === 'Theme' ? 'theme' : 'template'
  return {
    field: 'variant',
    message: `Both ${what}s have the same content, so the test can find nothing. Choose another ${what}, or change this one in your shop’s theme editor.`,
  }
}
/** The message while the variant is an unchanged copy of the control. */
export const sameContent =
  'The variant is still the same as the control. Change its content here or in your shop’s theme editor.'
export const uncompared: LaunchCheck = launchCheck(
  'target',
  'warn',
  'Your shop did not answer, so control and variant could not be compared.',
  { remedy: 'Open both previews and make sure that they differ.' },
)

/** Checks how long the test will run, and whether there is enough traffic. */
export function lengthCheck(
  plan: PlanFacts,
  {
    minimumEffect,
    timeZone,
    automaticallyEndAt,
  }: { minimumEffect: number; timeZone: string; automaticallyEndAt: string | null },
): LaunchCheck {
  const { title, text, isEnough } = planWords(plan, { minimumEffect, timeZone })
  if (!isEnough)
    return launchCheck('length', 'warn', `${title}. ${text}`, {
      remedy:
        plan.traffic === 'notEnough'
          ? 'Look for a larger change, include more pages or visitors, or choose a goal that more visitors reach, such as add-to-cart rate. You can launch anyway, but the test may end without a result.'
          : 'Check the pages and the audience, or launch if visitors are still to come.',
    })
  if (automaticallyEndAt && automaticallyEndAt < plan.endsAt)
    return launchCheck(
      'length',
      'warn',
      `The test ends automatically on ${formatDate(automaticallyEndAt, timeZone)}, before its planned end on ${formatDate(plan.endsAt, timeZone)}.`,
      {
        remedy: 'It may end without a result. Set a later end, or leave the end empty.',
        field: 'automaticallyEndAt',
      },
    )
  return good('length', `${title}.`)
}

type BrowserPart = LaunchChecks['browser']
/** Whether no browser has looked at the present pages, although the server has one. */
export const isUnseen = ({ state, checks }: BrowserPart): boolean =>
  state !== 'done' && !(state === 'none' && checks.length > 0)

/**
 * The lines that count now. What a browser found in another version of the draft does not count. If
 * no browser has looked at the present pages, a line says so.
 */
export function linesOf({
  checks,
  browser,
}: Pick<LaunchChecks, 'checks' | 'browser'>): LaunchCheck[] {
  switch (browser.state) {
    case 'running':
      return checks
    case 'stale':
      return [
        ...checks,
        launchCheck('browser', 'warn', 'The draft has changed since the pages were opened.', {
          remedy: 'Check again to see the pages as they are now.',
        }),
      ]
    case 'failed':
      return [
        ...checks,
        ...browser.checks,
        launchCheck(
          'browser',
          'warn',
          `The pages could not be opened: ${browser.message ?? 'the browser stopped.'}`,
          { remedy: 'Check again, or open both previews yourself.' },
        ),
      ]
    case 'none':
      if (isUnseen(browser))
        return [
          ...checks,
          launchCheck('browser', 'warn', 'The pages have not been opened in a browser yet.', {
            remedy: 'Check the pages: both arms are opened and any problem is listed here.',
          }),
        ]
  }
  return [...checks, ...browser.checks]
}

/**
 * The amber lines that the merchant must confirm before the launch. A server without a browser is
 * not mentioned at every launch.
 */
export const askedAbout = (found: Pick<LaunchChecks, 'checks' | 'browser'>): LaunchCheck[] =>
  ambersOf(linesOf(found)).filter(
    ({ name }) => name !== 'script' && (name !== 'browser' || isUnseen(found.browser)),
  )
/** The red lines that are not about a field of the draft. */
export const heldUpBy = (checks: readonly LaunchCheck[]): LaunchCheck[] =>
  redsOf(checks).filter(({ name, field }) => name === 'plan' || field === null)

/** The check to which the problems of a field belong. */
export const checkOfField = (field: string): LaunchCheckName =>
  launchCheckNames.find(name =>
    rows[name].fields.some(own => field === own || field.startsWith(`${own}.`)),
  ) ?? 'filled'

/** A draft's problems as red lines, one for each. */
export const problemChecks = (problems: readonly FieldProblem[]): LaunchCheck[] =>
  problems.map(({ field, message }) => launchCheck(checkOfField(field), 'bad', message, { field }))

/** Red lines as the problems of a refused launch. */
export const problemsOfChecks = (checks: readonly LaunchCheck[]): FieldProblem[] =>
  redsOf(checks).map(({ name, message, remedy, field }) => ({
    field: field ?? name,
    message: remedy ? `${message} ${remedy}` : message,
  }))

export type Sharing = LaunchChecks['sharing']
/**
 * Says which running tests would share visitors with this one, and how much longer the tests take.
 */
export function sharingCheck({ tests, days, daysAlone }: Sharing): LaunchCheck {
  if (tests.length === 0) return good('sharing', 'No running test shares its visitors.')
  const extra = days - daysAlone
  const longer =
    extra > 0
      ? `${tests.length > 1 ? 'all' : 'both'} take about ${extra} ${extra === 1 ? 'day' : 'days'} longer`
      : `each gets ${shareOf(tests.length + 1)} of the visitors`
  return launchCheck(
    'sharing',
    'warn',
    `Launch beside ${namesOf(tests.map(({ title }) => title))}: ${longer}.`,
    {
      remedy:
        'A visitor takes part in only one of them. Launch anyway, or wait until the other test has ended.',
    },
  )
}

const shareOf = (tests: number): string =>
  tests === 2
    ? 'half'
    : `one ${tests === 3 ? 'third' : tests === 4 ? 'quarter' : `part in ${tests}`}`
/** “A”, “B” and 2 more */
export function namesOf(names: readonly string[], most = 3): string {
  const quoted = names.map(name => `“${name}”`)
  if (quoted.length > most)
    return `${quoted.slice(0, most).join(', ')} and ${quoted.length - most} more`
  return quoted.length > 1
    ? `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`
    : quoted.join('')
}

/** Sorts lines into the order of the list. */
export const inOrder = (checks: readonly LaunchCheck[]): LaunchCheck[] =>
  checks.toSorted((a, b) => launchCheckNames.indexOf(a.name) - launchCheckNames.indexOf(b.name))
