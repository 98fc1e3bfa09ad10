import t from 'tap'
import { beforeLaunch, isStepDone, named, readyLines } from '../../../domain/drafts/draft-ready.ts'
import type { TestDraft } from '../../../domain/drafts/draft.ts'
import { sameArms } from '../../../domain/tests/launch-check.ts'
import { type PlanFacts, planWords } from '../../../domain/drafts/plan-words.ts'
import { stepsOf } from '../../../domain/drafts/draft-steps.ts'
import { testKindNames } from '../../../domain/tests/test-kind.ts'
import { templateTarget, themeTarget } from '../../../domain/tests/test-target.ts'

const blank: TestDraft = {
  id: 'd',
  kind: 'Theme',
  title: 'A test',
  hypothesisDescription: 'Because',
  controlTitle: 'Control',
  variantTitle: 'Variant',
  goal: 'ConversionRate',
  weights: [0.5, 0.5],
  minimumEffect: 0.1,
  expectedVisitors: null,
  controlUrl: '',
  redirectUrl: '',
  origin: null,
  hypotheses: [],
  domSelectors: [],
  version: 1,
  createdAt: '',
  updatedAt: '',
  variantCreatedAt: null,
  launchAt: null,
  automaticallyEndAt: null,
  audienceIds: [],
  apiMode: null,
  control: null,
  variant: null,
  resourceIds: [],
  templateKind: null,
  changeState: null,
  previewUrls: ['', ''],
}
const wrong = (draft: TestDraft) =>
  readyLines(draft, beforeLaunch(draft), 1)
    .filter(line => !line.ok)
    .map(line => line.words)

t.test('what is missing is listed next to the editor, and its step is not done', async t => {
  t.same(wrong({ ...blank, kind: 'Template' }), [
    'Choose the template to test.',
    'Create the variant, or choose its template.',
  ])
  t.same(wrong({ ...blank, kind: 'PageContent' }), [
    'Choose the page to test.',
    'Create the variant: a copy for this page.',
  ])
  t.same(
    wrong({ ...blank, kind: 'Theme', control: themeTarget('1'), variant: themeTarget('2') }),
    [],
  )
  t.same(wrong({ ...blank, kind: 'Theme', title: ' ' }), [
    'No name yet',
    'Choose your live theme as the control.',
  ])
  const template = {
    ...blank,
    kind: 'Template' as const,
    control: templateTarget('product', 'story'),
    variant: templateTarget('product', 'long'),
  }
  t.same(wrong(template), [])
  t.equal(isStepDone('template', template, beforeLaunch(template)), true)
  t.equal(
    isStepDone(
      'template',
      { ...template, variant: null },
      beforeLaunch({ ...template, variant: null }),
    ),
    false,
  )
  t.equal(isStepDone('goal', { ...blank, hypothesisDescription: ' ' }, []), false)
  t.same(
    [named(template.control), named(template.variant), named(null)],
    ['product.story', 'product.long', 'none'],
  )
})

t.test('the lines say how many pages match, and when an API test assigns', async t => {
  const element = {
    ...blank,
    kind: 'PageElement' as const,
    domSelectors: [
      {
        id: 's',
        urlPatterns: ['/a'],
        actions: [{ selector: 'h1', kind: 'text' as const, value: 'Hello', name: '' }],
      },
    ],
  }
  const words = (draft: TestDraft, matching = 1) =>
    readyLines(draft, beforeLaunch(draft), matching).map(line => `${line.ok} ${line.words}`)
  t.ok(words(element).includes('true 1 change'))
  for (const [matching, line] of [
    [0, 'false No page of the shop matches'],
    [1, 'true 1 page matches'],
    [1_204, 'true 1,204 pages match'],
  ] as const)
    t.ok(words(element, matching).includes(line), line)
  t.ok(words({ ...element, domSelectors: [] }).includes('false No page named yet'))
  t.ok(
    words({ ...blank, kind: 'Api', apiMode: 'manual' }).includes(
      'true Assigned when your code asks',
    ),
  )
  t.ok(words({ ...blank, kind: 'Api' }).includes('true Assigned on the first page'))
})

t.test(
  'every kind of test has its own lines, and a message for each step before the review',
  async t => {
    for (const kind of testKindNames) {
      const draft = { ...blank, kind }
      t.ok(readyLines(draft, beforeLaunch(draft), 0).length >= 4, kind)
      t.ok(stepsOf(kind).length >= 4 && stepsOf(kind).at(-1) === 'review', kind)
    }
  },
)

t.test('a copy that is still the same as the control is not ready', async t => {
  const copy = {
    ...blank,
    kind: 'PageContent' as const,
    resourceIds: ['1'],
    control: templateTarget('product', ''),
    variant: templateTarget('product', 'ts-1', true),
    changeState: 'Unmodified' as const,
  }
  const same = [sameArms('PageContent', true)]
  t.same(
    readyLines(copy, same, 1)
      .filter(line => !line.ok)
      .map(line => line.words),
    ['The variant is still the same as the control'],
  )
  t.equal(isStepDone('content', copy, same), false)
  t.equal(isStepDone('content', copy, []), true)
})

t.test('the planned length in words', async t => {
  const plan = {
    days: 21,
    endsAt: '2026-12-14T12:00:00.000Z',
    plannedVisitors: 12_000,
    daysNeeded: 19,
    dailyVisitors: 640.4,
    source: 'shop' as const,
    hasHistory: true,
    traffic: 'enough' as const,
    smallestEffect: null,
  }
  const words = (over: Partial<PlanFacts> = {}) =>
    planWords({ ...plan, ...over }, { minimumEffect: 0.075, timeZone: 'UTC' })
  t.same(words(), {
    title: '21 days, planned end 14 Dec 2026',
    text: '12,000 visitors are needed in all to find a change of 7.5%. By the last 28 days, about 640 visitors a day take part.',
    isEnough: true,
  })
  t.match(words({ source: 'guess' }).text, /You expect about 640 visitors a day\.$/)
  const unknown = {
    traffic: 'unknown' as const,
    source: 'none' as const,
    dailyVisitors: 0,
    days: 14,
    daysNeeded: null,
  }
  t.match(words({ ...unknown, hasHistory: false }), {
    title: 'At least 14 days, planned end 14 Dec 2026',
    text: /too little history .* enter the visitors you expect/,
    isEnough: true,
  })
  t.match(words(unknown), { text: /No visitors came/, isEnough: false })
  const little = {
    traffic: 'notEnough' as const,
    days: 84,
    daysNeeded: 5333,
    dailyVisitors: 2.25,
    smallestEffect: 0.483,
  }
  t.match(words(little), {
    title: /^84 days/,
    text: 'Not enough traffic: to find a change of 7.5%, about 2.3 visitors a day take 5,333 days. In 28 days it can find a change of 48% or more.',
    isEnough: false,
  })
  t.match(
    words({ ...little, smallestEffect: 1.4 }).text,
    /In 28 days no change below 100% could be told from chance\.$/,
  )
})
