import t from 'tap'
import { attentionOf, isNoticeKey, noticeKey, watchedOf } from '../../../domain/tests/attention.ts'
import { holdCause } from '../../../domain/tests/hold-cause.ts'
import { unlimitedVisitors } from '../../../domain/plans/plan.ts'

const now = new Date('2026-11-20T12:00:00Z')
const plan = {
  id: 'core',
  level: 1,
  title: 'Core',
  limit: 1000,
  price: 39,
  isAnnual: false,
  requireAppointment: false,
  available: true,
}
const status = {
  nextBill: null,
  usageReset: '2026-12-01T05:00:00Z',
  trialEnd: null as string | null,
  sessions: 0,
  sessionLimit: 1000,
  pendingPlan: null,
  subscriptionStatus: 'Active' as const,
}
const quiet = {
  store: { trial: false, timeZone: 'America/New_York' },
  status,
  plan,
  onHold: [],
  suspended: [],
  charges: [],
  fresh: new Set<string>(),
  ga: null,
  now,
}
const ids = (over: Partial<Parameters<typeof attentionOf>[0]>) =>
  attentionOf({ ...quiet, ...over }).map(({ id }) => id)
const stopped = (id: string, of: 'OnHold' | 'Suspended') => ({
  id,
  title: `Test ${id}`,
  status: of,
  since: '2026-11-19T12:00:00Z',
  holdCause: of === 'OnHold' ? holdCause('pageGone') : null,
})

t.test('a store without problems has no notice', async t => t.same(attentionOf(quiet), []))

t.test(
  'stopped tests come first with the reason and what to do; those not seen before are marked new',
  async t => {
    const all = attentionOf({
      ...quiet,
      onHold: [stopped('a', 'OnHold'), stopped('b', 'OnHold')],
      suspended: [stopped('c', 'Suspended')],
      fresh: new Set(['b']),
      status: { ...status, sessions: 900 },
    })
    t.same(
      all.map(({ id, isNew }) => [id, isNew]),
      [
        ['c', false],
        ['a', false],
        ['b', true],
        ['usage', false],
      ],
    )
    t.match(all[1], {
      title: '“Test a” is on hold',
      text: 'A page of this test is gone. Restore the page',
      since: '2026-11-19T12:00:00Z',
      report: '/tests/a',
      act: { label: 'Choose another page', href: '/tests/a?ask=variant' },
    })
  },
)

t.test(
  'usage has the warnings of the usage bar; none in a trial or without a limit, when no test would be held',
  async t => {
    const usage = (sessions: number) =>
      attentionOf({ ...quiet, status: { ...status, sessions } })[0]
    t.equal(usage(799), undefined)
    t.match(usage(800), {
      tone: 'warn',
      title: '80% of this month’s visitors are used',
      text: /800 of 1,000 .* At the limit, running tests are put on hold\. Usage resets on 1 Dec 2026/,
    })
    t.match(usage(900), { tone: 'bad' })
    t.match(usage(2500), { tone: 'bad', title: 'This month’s visitors are used up' })
    t.same(
      ids({ status: { ...status, sessions: 2500 }, store: { ...quiet.store, trial: true } }),
      [],
    )
    t.same(
      ids({ status: { ...status, sessions: unlimitedVisitors, sessionLimit: unlimitedVisitors } }),
      [],
    )
  },
)

t.test('an order with a wrong price has a notice, and its test keeps running', async t => {
  const [told] = attentionOf({
    ...quiet,
    charges: [{ id: 'a', title: 'Mugs', message: 'Order #1042 was charged $34.00.' }],
  })
  t.match(told, {
    id: 'charges-a',
    tone: 'warn',
    text: 'Order #1042 was charged $34.00. The test keeps running. We put it on hold if this happens often.',
    act: { href: '/tests/a' },
  })
})

t.test('a trial has a notice in its last three days', async t => {
  const trial = (trialEnd: string, isOn = true) =>
    attentionOf({
      ...quiet,
      status: { ...status, trialEnd },
      store: { ...quiet.store, trial: isOn },
    })[0]
  t.equal(trial('2026-11-23T12:00:01Z'), undefined)
  t.match(trial('2026-11-23T12:00:00Z'), {
    title: 'Your free trial ends in 3 days',
    text: /^From 23 Nov 2026 the Core plan is billed/,
  })
  t.match(trial('2026-11-20T13:00:00Z'), { title: 'Your free trial ends within a day' })
  t.equal(trial('2026-11-19T12:00:00Z', false), undefined, 'the trial is over')
})

t.test('Google Analytics that is turned on but fails has a notice', async t => {
  const ga = {
    accountId: '1',
    propertyId: '2',
    measurementIds: ['G-1'],
    enabled: true,
    measurementId: 'G-1',
    connected: true,
    problem: null as string | null,
  }
  t.same(ids({ ga }), [])
  t.match(attentionOf({ ...quiet, ga: { ...ga, problem: 'Google answered 403.' } })[0], {
    id: 'ga',
    text: 'Google answered 403.',
  })
  t.match(attentionOf({ ...quiet, ga: { ...ga, connected: false } })[0], {
    title: 'Google Analytics is disconnected',
  })
  t.same(ids({ ga: { ...ga, connected: false, enabled: false } }), [], 'it is turned off')
})

t.test(
  'a test on hold links to the advised action, or to its report when the remedy is in the shop',
  async t => {
    const act = (cause: Parameters<typeof holdCause>[0]) =>
      attentionOf({
        ...quiet,
        onHold: [{ ...stopped('a', 'OnHold'), holdCause: holdCause(cause) }],
      })[0]!.act
    t.same(act('visitorLimit'), { label: 'See plans', href: '/settings/billing' })
    t.same(act('themeGone'), { label: 'Choose another theme', href: '/tests/a?ask=variant' })
    t.same(act('priceMismatch'), { label: 'Open report', href: '/tests/a' })
  },
)

t.test('each stop of a test has its own notice', async t => {
  const key = (since: string) => noticeKey({ id: '0f8fad5b-d9cb-469f-a165-70867728950e', since })
  t.ok(isNoticeKey(key('2026-11-19T12:00:00Z')))
  t.not(key('2026-11-19T12:00:00Z'), key('2026-11-19T12:00:01Z'))
  t.notOk(['', 'a.b', 'a-b;c', '0f8fad5b9-abc'].some(isNoticeKey))
})

t.test('each watched thing has its present state, with and without a problem', async t => {
  const watched = (over: Partial<Parameters<typeof watchedOf>[0]>) =>
    Object.fromEntries(
      watchedOf({ ...quiet, ...over }).map(({ name, now: words, tone }) => [
        name,
        `${tone}: ${words}`,
      ]),
    )
  t.match(watched({}), {
    Tests: 'good: None on hold or suspended',
    'Prices charged': 'good: As shown to buyers',
    'Visitors this month': 'good: 0 of 1,000',
  })
  t.equal(watched({ onHold: [stopped('a', 'OnHold')] })['Tests'], 'warn: 1 on hold')
  t.equal(
    watched({ suspended: [stopped('a', 'Suspended'), stopped('b', 'Suspended')] })['Tests'],
    'warn: 2 suspended',
  )
  t.equal(
    watched({ onHold: [stopped('a', 'OnHold')], suspended: [stopped('b', 'Suspended')] })['Tests'],
    'warn: 1 on hold, 1 suspended',
  )
  t.equal(
    watched({ status: { ...status, sessions: 900 } })['Visitors this month'],
    'warn: 900 of 1,000',
  )
  t.equal(
    watched({ store: { ...quiet.store, trial: true }, status: { ...status, sessions: 900 } })[
      'Visitors this month'
    ],
    'good: 900, no limit',
  )
})

t.test('a hold that is fixed in the shop’s admin leads there', t => {
  const fixAt = 'https://shop.example/admin/themes/1'
  const [held] = attentionOf({
    ...quiet,
    onHold: [{ ...stopped('a', 'OnHold'), holdCause: { ...holdCause('scriptOff'), fixAt } }],
  })
  t.match(held, {
    text: /switched off.*resumes by itself/,
    act: { label: 'Turn on the script', href: fixAt, isInShop: true },
  })
  t.end()
})
