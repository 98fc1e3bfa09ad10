import t from 'tap'
import { beforeLaunch, isStepDone, named, readyLines } from '../../domain/draft-ready.ts'
import type { TestDraft } from '../../domain/draft.ts'
import { planWords } from '../../domain/plan-words.ts'
import { stepsOf } from '../../domain/draft-steps.ts'
import { testKindNames } from '../../domain/test-kind.ts'
import { templateTarget, themeTarget } from '../../domain/test-target.ts'

const blank: TestDraft = {
  id: 'd', kind: 'Theme', title: 'A test', hypothesisDescription: 'Because', controlTitle: 'Control', variantTitle: 'Variant', goal: 'ConversionRate', weights: [0.5, 0.5], minimumEffect: 0.1,
  controlUrl: '', redirectUrl: '', origin: null, hypotheses: [], domSelectors: [], version: 1, createdAt: '', updatedAt: '', variantCreatedAt: null, launchAt: null, automaticallyEndAt: null,
  audienceIds: [], apiMode: null, control: null, variant: null, resourceIds: [], templateKind: null, changeState: null, previewUrls: ['', ''],
}
const wrong = (draft: TestDraft) => readyLines(draft, beforeLaunch(draft), 1).filter(line => !line.ok).map(line => line.words)

t.test('what is missing is said beside the editor, and its step is not done', async t => {
  t.same(wrong({ ...blank, kind: 'Template' }), ['Choose the template to test.', 'Make the variant, or choose its template.'])
  t.same(wrong({ ...blank, kind: 'PageContent' }), ['Choose the page to test.', 'Make the variant: a copy for this page.'])
  t.same(wrong({ ...blank, kind: 'Theme', control: themeTarget('1'), variant: themeTarget('2') }), [])
  t.same(wrong({ ...blank, kind: 'Theme', title: ' ' }), ['No name yet', 'Choose the theme to test against: the live one.'])
  const template = { ...blank, kind: 'Template' as const, control: templateTarget('product', 'story'), variant: templateTarget('product', 'long') }
  t.same(wrong(template), [])
  t.equal(isStepDone('template', template, beforeLaunch(template)), true)
  t.equal(isStepDone('template', { ...template, variant: null }, beforeLaunch({ ...template, variant: null })), false)
  t.equal(isStepDone('goal', { ...blank, hypothesisDescription: ' ' }, []), false)
  t.same([named(template.control), named(template.variant), named(null)], ['product.story', 'product.long', 'none'])
})

t.test('every kind has lines of its own, and a message for each step before the review', async t => {
  for (const kind of testKindNames) {
    const draft = { ...blank, kind }
    t.ok(readyLines(draft, beforeLaunch(draft), 0).length >= 4, kind)
    t.ok(stepsOf(kind).length >= 4 && stepsOf(kind).at(-1) === 'review', kind)
  }
})

t.test('planned length, in words', async t => {
  const plan = { days: 21, plannedVisitors: 12_000, dailyVisitors: 640.4, hasHistory: true, isEnough: true, smallestEffect: null }
  t.same(planWords(plan), { title: 'About 21 days', text: '12,000 visitors are needed in all, and about 640 a day come to what is tested.', isEnough: true })
  t.match(planWords({ ...plan, hasHistory: false, dailyVisitors: 0, days: 14, isEnough: false }), { title: 'At least 14 days', isEnough: true })
  t.match(planWords({ ...plan, isEnough: false, dailyVisitors: 2.25, smallestEffect: 0.483 }), { title: 'Not enough traffic', text: /about 2\.3 visitors a day this takes over 90 days\. In 28 days it can find a change of 48% or more/, isEnough: false })
  t.match(planWords({ ...plan, isEnough: false, smallestEffect: 1.4 }).text, /In 28 days no change below 100% could be told from chance\.$/)
  t.match(planWords({ ...plan, isEnough: false, dailyVisitors: 0 }).text, /nobody came/)
})
