import t from 'tap'
import type { PerArm } from '../../../domain/arm.ts'
import { stage } from '../../../domain/events/event.ts'
import type { ScriptTest } from '../../../domain/script/script-config.ts'
import { losesUnevenly } from '../../../domain/reports/stage-check.ts'
import { brokenSplit, splitCheck } from '../../../domain/stats/split.ts'
import { chanceOf } from '../../../demo-shop/shoppers/chance.ts'
import { pageOf, themeAt } from '../../../demo-shop/shoppers/page-of.ts'
import { allRules } from '../../../storefront/all-rules.ts'
import { recogniseVisitor, visitPage, type VisitorMemory } from '../../../storefront/core.ts'

/*
 * 20,000 visitors of each kind of test, assigned by the script's own rules: the split check does
 * not fail. Broken on purpose it fails, and the stages show where visitors were lost.
 */
const half: PerArm<number> = [0.5, 0.5]
const kinds: Record<string, ScriptTest> = {
  'page element': {
    id: 'split-element',
    weights: half,
    pages: ['/products/*'],
    changes: [{ selector: 'h1', kind: 'text', name: '', value: 'x' }],
  },
  'URL redirect': {
    id: 'split-redirect',
    weights: half,
    pages: ['/pages/gift-guide'],
    to: '/pages/gift-guide-2026',
  },
  template: {
    id: 'split-template',
    weights: [0.7, 0.3],
    pages: [],
    view: ['product', 'product.story'],
  },
  'page content': {
    id: 'split-content',
    weights: half,
    pages: [],
    view: ['page', 'page.ts-guide'],
  },
  theme: { id: 'split-theme', weights: half, pages: [], theme: ['kiln', 'harbour'] },
  API: { id: 'split-api', weights: half, pages: ['*'], api: ['c', 'v'] },
  price: {
    id: 'split-price',
    weights: half,
    pages: ['*'],
    prices: { 'ash-mug': [['30100', 3400, 2900]] },
  },
}
const paths = [
  '/',
  '/products/ash-mug',
  '/pages/gift-guide',
  '/collections/all',
  '/products/ash-mug',
  '/pages/gift-guide',
]
const origin = 'https://pots.example'
const visitors = 20_000

type Stages = { assigned: number; applied: number; recorded: number }
/** `loses` is the share of the variant's visitors whose exposure never arrives. */
function run(test: ScriptTest, seed: string, loses = 0): PerArm<Stages> {
  const chance = chanceOf(seed)
  const rules = allRules(() => 'Mozilla/5.0', 'pots.example')
  const stages: PerArm<Stages> = [
    { assigned: 0, applied: 0, recorded: 0 },
    { assigned: 0, applied: 0, recorded: 0 },
  ]
  for (let i = 0; i < visitors; i++) {
    let theme = '',
      at = i
    const page = (url: string) =>
      pageOf({ liveTheme: 'kiln' }, theme, { url, referrer: '', now: at++, newId: chance.id })
    const memory: VisitorMemory = recogniseVisitor(null, page(origin))
    let isRecorded = false
    for (const path of paths) {
      let here = page(origin + path)
      let visit = visitPage({ tests: [test] }, memory, here, rules)
      const told = visit.events.some(({ kind }) => kind === 'exposure')
      if (visit.redirect) {
        theme = themeAt(visit.redirect, theme)
        here = page(visit.redirect)
        visit = visitPage({ tests: [test] }, memory, here, rules)
      }
      if (told) isRecorded = !(memory.tests[test.id]![0] === 1 && chance.happens(loses))
      for (const { id } of visit.shown) memory.tests[id]![1] |= stage.applied
    }
    const held = memory.tests[test.id]
    if (!held) continue
    const arm = stages[held[0]]
    arm.assigned++
    if (held[1] & stage.applied) arm.applied++
    if (isRecorded) arm.recorded++
  }
  return stages
}

for (const [name, test] of Object.entries(kinds)) {
  t.test(`${name}: 20,000 visitors split by the weights`, async t => {
    const stages = run(test, `split ${name}`)
    t.ok(
      splitCheck([stages[0].recorded, stages[1].recorded], test.weights)! >= brokenSplit,
      'the split check passes',
    )
    t.notOk(losesUnevenly(stages as never), 'no stage loses more visitors of one arm')
    for (const arm of stages)
      t.same(
        [arm.applied, arm.recorded],
        [arm.assigned, arm.assigned],
        'every assigned visitor saw the arm and was recorded',
      )
    t.equal(stages[0].assigned + stages[1].assigned, visitors, 'every visitor was assigned')
  })
}

t.test(
  'when an arm loses a tenth of its exposures, the split check fails and the stage is known',
  async t => {
    const stages = run(kinds['URL redirect']!, 'split broken', 0.1)
    t.ok(splitCheck([stages[0].recorded, stages[1].recorded], half)! < brokenSplit)
    t.ok(
      splitCheck([stages[0].assigned, stages[1].assigned], half)! >= brokenSplit,
      'visitors were assigned evenly',
    )
    t.ok(losesUnevenly(stages as never), 'visitors were lost between assigned and recorded')
  },
)
