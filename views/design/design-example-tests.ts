import type { Test, TestEvent, TestListItem } from '../../domain/tests/ab-test.ts'
import type { Verdict } from '../../domain/reports/summary.ts'
import { ago } from './design-examples.ts'
import { testOf } from './design-example-figures.ts'

const event = (
  kind: TestEvent['kind'],
  days: number,
  value: number | null = null,
  detail: string | null = null,
): TestEvent => ({ kind, at: ago(days), value, detail })

/** One test for each verdict. */
export const tests = {
  winner: testOf({
    id: 'winner',
    title: 'Reviews above the fold',
    variantTitle: 'Reviews first',
    status: 'Active',
    age: 20,
    arms: [
      { visitors: 29_104, buyers: 1218, order: 6318 },
      { visitors: 28_982, buyers: 1368, order: 6274, clicks: 0.436 },
    ],
    reached: 'winner',
    events: [
      event('Created', 21),
      event('Start', 20),
      event('Visitors', 18, 1000),
      event('Progress', 15, 0.25),
      event('Paused', 12),
      event('Start', 11),
      event('Visitors', 8, 10_000),
      event('Progress', 6, 0.5),
      event('Modified', 4, null, 'Its name'),
      event('Lift', 2, 0.128),
    ],
  }),
  loser: testOf({
    id: 'loser',
    title: 'Kiln theme 3.0',
    variantTitle: 'Kiln 3.0',
    status: 'Active',
    age: 16,
    arms: [
      { visitors: 14_890, buyers: 655 },
      { visitors: 15_012, buyers: 550, isHeavy: true },
    ],
    reached: 'loser',
  }),
  noDifference: testOf({
    id: 'no-difference',
    title: 'Shorter size guide',
    variantTitle: 'Short guide',
    status: 'Ended',
    age: 30,
    ended: 2,
    arms: [
      { visitors: 30_210, buyers: 1290 },
      { visitors: 30_044, buyers: 1301 },
    ],
    reached: 'noDifference',
  }),
  leaning: testOf({
    id: 'leaning',
    title: 'Delivery promise by the button',
    variantTitle: 'Ships today',
    status: 'Active',
    age: 11,
    arms: [
      { visitors: 8120, buyers: 341 },
      { visitors: 8087, buyers: 362 },
    ],
  }),
  tooEarly: testOf({
    id: 'too-early',
    title: 'Bundles on product pages',
    variantTitle: 'Bundles',
    status: 'Active',
    age: 3,
    arms: [
      { visitors: 2210, buyers: 88 },
      { visitors: 2195, buyers: 97 },
    ],
  }),
  collecting: testOf({
    id: 'collecting',
    title: 'Quieter footer',
    variantTitle: 'Quiet',
    status: 'Active',
    age: 1,
    arms: [
      { visitors: 82, buyers: 2 },
      { visitors: 77, buyers: 3 },
    ],
  }),
  splitBroken: testOf({
    id: 'split-broken',
    title: 'Gift guide of this year',
    variantTitle: 'New guide',
    status: 'OnHold',
    age: 9,
    arms: [
      { visitors: 9120, buyers: 371 },
      { visitors: 8115, buyers: 344 },
    ],
  }),
} as const satisfies Record<Verdict['kind'], Test>

/** The test as an item of the list. */
export const listItem = ({ summary, ...test }: Test): TestListItem => ({
  id: test.id,
  kind: test.kind,
  title: test.title,
  status: test.status,
  goal: test.goal,
  weights: test.weights,
  pages: test.pages,
  createdAt: test.createdAt,
  updatedAt: test.updatedAt,
  startAt: test.startAt,
  endsAt: test.endsAt,
  endedAt: test.endedAt,
  appliedAt: test.appliedAt,
  isDemo: test.isDemo,
  isImported: test.isImported,
  visitors: summary.visitors[0] + summary.visitors[1],
  daily: null,
  result: summary.goals.find(({ goal }) => goal === test.goal) ?? null,
  verdict: summary.verdict,
})
