import type { GaSettings } from '../google/analytics.ts'
import type { Output } from '../api/contract.ts'
import { formatCount, formatDate } from '../figures.ts'
import { fixWords, type HoldCauseName } from './hold-cause.ts'
import { paths } from '../paths.ts'
import { unlimitedVisitors, type Plan } from '../plans/plan.ts'
import type { StoreInfo, StoreStatus } from '../stores/store.ts'
import { trialDaysLeft } from '../stores/store-status.ts'
import { progressTone, usageOf } from '../plans/usage.ts'

/** Something that does not continue until the merchant looks at it. */
export type Attention = {
  id: string
  tone: 'warn' | 'bad'
  title: string
  text: string
  /** When it began; null when unknown. */
  since: string | null
  /** True when it appeared after this browser last looked. */
  isNew: boolean
  /** The button with the recommended action. */
  act: { label: string; href: string; isInShop?: boolean }
  /** Path of the report of the test that it is about. */
  report?: string
  /** Id of a test on hold, which can be resumed after its cause is gone. */
  resume?: string
}
type Stopped = Output<'newOnHold'>['tests']
type Known = {
  store: Pick<StoreInfo, 'trial' | 'timeZone'>
  status: StoreStatus
  plan: Plan | undefined
  onHold: Stopped
  suspended: Stopped
  /** Ids of the stopped tests that are new. */
  fresh: ReadonlySet<string>
  /** Price tests with an order that was charged a different price from the one shown. */
  charges: Output<'chargeWarnings'>['tests']
  ga: GaSettings | null
  now: Date
}

/** Number of days before the end of a trial at which the merchant is notified. */
export const trialWarningDays = 3

/**
 * What the merchant must look at now: first what is stopped, then what soon will be. Empty when
 * there is nothing.
 */
export function attentionOf(known: Known): Attention[] {
  return [
    ...stoppedTests(known),
    ...charged(known),
    ...usage(known),
    ...trial(known),
    ...measuring(known),
  ]
}

/**
 * Something that we watch for the merchant: its present state, and when it becomes a notification.
 */
export type Watched = { name: string; now: string; rule: string; tone: 'good' | 'warn' }

/** Everything that can become a notification, whether it is one now or not. */
export function watchedOf(known: Known): Watched[] {
  const { store, status, onHold, suspended: stopped, ga } = known
  const limitless = store.trial || status.sessionLimit >= unlimitedVisitors
  const of = (name: string, isFine: boolean, words: string, rule: string): Watched => ({
    name,
    now: words,
    rule,
    tone: isFine ? 'good' : 'warn',
  })
  const counts = [
    onHold.length > 0 && `${onHold.length} on hold`,
    stopped.length > 0 && `${stopped.length} suspended`,
  ].filter(Boolean)
  return [
    of(
      'Tests',
      counts.length === 0,
      counts.join(', ') || 'None on hold or suspended',
      'You see a notification when we stop one of your tests, with the cause and what to do.',
    ),
    of(
      'Prices charged',
      known.charges.length === 0,
      known.charges.length === 0 ? 'As shown to buyers' : 'Not always as shown',
      'You see a notification when an order of a price test was charged a different price from the one its buyer saw.',
    ),
    ...(status.sessionLimit > 0 || limitless
      ? [
          of(
            'Visitors this month',
            usage(known).length === 0,
            limitless
              ? `${formatCount(status.sessions)}, no limit`
              : `${formatCount(status.sessions)} of ${formatCount(status.sessionLimit)}`,
            'You see a notification at 80% of your plan. At 100%, running tests go on hold until usage resets.',
          ),
        ]
      : []),
    ...(store.trial && status.trialEnd
      ? [
          of(
            'Free trial',
            trial(known).length === 0,
            `Ends on ${formatDate(status.trialEnd, store.timeZone)}`,
            `You see a notification ${trialWarningDays} days before it ends.`,
          ),
        ]
      : []),
    ...(ga?.enabled
      ? [
          of(
            'Google Analytics',
            measuring(known).length === 0,
            measuring(known).length === 0
              ? 'Receives your test data'
              : 'Does not receive your test data',
            'You see a notification when Google stops accepting the data.',
          ),
        ]
      : []),
  ]
}

/** The tests that the system has stopped, with the cause and what to do. */
export const stoppedTests = (known: Pick<Known, 'onHold' | 'suspended' | 'fresh'>): Attention[] => [
  ...known.suspended.map(test => suspended(test, known)),
  ...known.onHold.map(test => held(test, known)),
]

const openReport = (id: string): Attention['act'] => ({
  label: 'Open report',
  href: paths.report(id),
})
const seePlans = (): Attention['act'] => ({ label: 'See plans', href: paths.settings('billing') })
const anotherVariant =
  (label: string) =>
  (id: string): Attention['act'] => ({ label, href: `${paths.report(id)}?ask=variant` })
/**
 * The page for the first remedy of a cause. For causes that the merchant fixes in the shop there is
 * none, and the button opens the report.
 */
const advised: Partial<Record<HoldCauseName, (id: string) => Attention['act']>> = {
  visitorLimit: seePlans,
  notSubscribed: seePlans,
  notIncluded: seePlans,
  templateGone: anotherVariant('Recreate the variant'),
  themeGone: anotherVariant('Choose another theme'),
  themeIncomplete: anotherVariant('Choose another theme'),
  pageGone: anotherVariant('Choose another page'),
}

/**
 * The key of one stop of one test. When the test is put on hold again, the key is another, so the
 * merchant is notified again.
 */
export const noticeKey = ({ id, since }: Pick<Attention, 'id' | 'since'>): string =>
  `${id.slice(0, 8)}-${Math.floor(Date.parse(since ?? '') / 1000).toString(36)}`
export const isNoticeKey = (text: string): boolean => /^[\w-]{1,8}-[0-9a-z]{1,8}$/.test(text)

/** What to do about a hold: in the shop's admin where we know the page, otherwise in the app. */
const actFor = (id: string, holdCause: Stopped[number]['holdCause']): Attention['act'] =>
  holdCause?.fixAt
    ? {
        label: fixWords[holdCause.cause] ?? 'Open your shop',
        href: holdCause.fixAt,
        isInShop: true,
      }
    : ((holdCause && advised[holdCause.cause]?.(id)) ?? openReport(id))

const held = (
  { id, title, since, holdCause }: Stopped[number],
  { fresh }: Pick<Known, 'fresh'>,
): Attention => ({
  id,
  tone: 'warn',
  title: `“${title}” is on hold`,
  text: holdCause ? `${holdCause.message} ${holdCause.remedy}` : 'Open its report to see why.',
  since,
  isNew: fresh.has(id),
  act: actFor(id, holdCause),
  report: paths.report(id),
  resume: id,
})

const suspended = (
  { id, title, since }: Stopped[number],
  { fresh }: Pick<Known, 'fresh'>,
): Attention => ({
  id,
  tone: 'bad',
  title: `“${title}” is suspended`,
  text: 'Your subscription is not active. The test continues as before once it is, or you can end it.',
  since,
  isNew: fresh.has(id),
  act: seePlans(),
  report: paths.report(id),
})

/**
 * Wrong charges of running price tests. The system puts a test on hold only when there are too many
 * (charge-rule.ts).
 */
const charged = ({ charges }: Known): Attention[] =>
  charges.map(({ id, title, message }) => ({
    id: `charges-${id}`,
    tone: 'warn',
    title: `An order of “${title}” was charged a different price from the one shown`,
    text: `${message} The test keeps running. We put it on hold if this happens often.`,
    since: null,
    isNew: false,
    act: openReport(id),
    report: paths.report(id),
  }))

/**
 * Warns about the visitor limit. There is none during the trial and on some plans, so no test would
 * be put on hold.
 */
function usage({ store, status }: Known): Attention[] {
  const { isWarned, percent, colour } = usageOf(status)
  if (!isWarned || store.trial || status.sessionLimit >= unlimitedVisitors) return []
  const isUsedUp = status.sessions >= status.sessionLimit
  const resets = status.usageReset
    ? ` Usage resets on ${formatDate(status.usageReset, store.timeZone)}.`
    : ''
  return [
    {
      id: 'usage',
      tone: progressTone(colour) ?? 'warn',
      title: isUsedUp
        ? 'This month’s visitors are used up'
        : `${percent}% of this month’s visitors are used`,
      text: `${formatCount(status.sessions)} of ${formatCount(status.sessionLimit)} visitors have come. ${isUsedUp ? 'Running tests are on hold until usage resets or the plan has more; then they resume by themselves.' : 'At the limit, running tests are put on hold.'}${resets}`,
      since: null,
      isNew: false,
      act: { label: 'See plans', href: paths.settings('billing') },
    },
  ]
}

function trial({ store, status, plan, now }: Known): Attention[] {
  const days = trialDaysLeft(status, now)
  if (!store.trial || days > trialWarningDays || !status.trialEnd) return []
  return [
    {
      id: 'trial',
      tone: 'warn',
      title:
        days <= 1 ? 'Your free trial ends within a day' : `Your free trial ends in ${days} days`,
      text: `From ${formatDate(status.trialEnd, store.timeZone)} ${plan ? `the ${plan.title} plan` : 'your plan'} is billed, and its visitors are counted against the plan’s limit.`,
      since: null,
      isNew: false,
      act: { label: 'Plan & Billing', href: paths.settings('billing') },
    },
  ]
}

function measuring({ ga }: Known): Attention[] {
  if (!ga?.enabled || (ga.connected && !ga.problem)) return []
  return [
    {
      id: 'ga',
      tone: 'warn',
      title: ga.connected
        ? 'Google Analytics does not accept our data'
        : 'Google Analytics is disconnected',
      text:
        ga.problem ??
        'Google Analytics is disconnected. Connect it again to keep sending test data.',
      since: null,
      isNew: false,
      act: { label: 'Integrations', href: paths.settings('integrations') },
    },
  ]
}
