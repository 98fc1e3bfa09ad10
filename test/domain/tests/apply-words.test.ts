import t from 'tap'
import {
  appliedWords,
  applyCaution,
  applyWords,
  whyNotApplied,
  type ApplyFacts,
} from '../../../domain/tests/apply-words.ts'
import { templateTarget, themeTarget } from '../../../domain/tests/test-target.ts'
import { testKindNames } from '../../../domain/tests/test-kind.ts'

const test: ApplyFacts['test'] = {
  kind: 'Template',
  status: 'Ended',
  startAt: '2026-11-01T00:00:00.000Z',
  appliedArm: null,
  control: null,
  variant: null,
  resourceIds: [],
  controlUrl: '',
  redirectUrl: '',
  domSelectors: [],
}
const facts = (over: Partial<ApplyFacts['test']>, more: Partial<ApplyFacts> = {}): ApplyFacts => ({
  test: { ...test, ...over },
  assigned: null,
  missing: null,
  lack: null,
  byScript: null,
  themeName: id => ({ kiln: 'Kiln', harbour: 'Harbour' })[id] ?? '?',
  products: null,
  repriced: [],
  today: '2026-11-21',
  ...more,
})
const said = (of: ApplyFacts, arm: 'control' | 'variant' = 'variant') =>
  applyWords(of, arm).changes.join(' ')
const product = {
  control: templateTarget('product', ''),
  variant: templateTarget('product', 'ts-x1', true),
}

t.test('applying a template says how many resources get which template', async t => {
  t.equal(
    said(facts(product, { assigned: 12 })),
    '12 products are assigned to the template product.ts-x1 instead of product. The template product.ts-x1 stays in your theme.',
  )
  t.match(said(facts(product, { assigned: 1 })), '1 product is assigned')
  t.match(
    said(facts({ ...product, kind: 'PageContent', resourceIds: ['7'] }, { assigned: 12 })),
    '1 product of this test is assigned',
  )
  t.match(said(facts(product)), 'All that the template product draws are assigned')
  t.match(
    said(facts({ ...product, appliedArm: 'variant' }), 'control'),
    'assigned to product again.',
  )
})

t.test(
  'home, cart and search: the file gets the variant’s content, and the original keeps a dated suffix',
  async t => {
    for (const [type, file] of [
      ['home', 'index'],
      ['cart', 'cart'],
      ['search', 'search'],
    ] as const) {
      const of = facts({
        control: templateTarget(type, ''),
        variant: templateTarget(type, 'ts-x1', true),
      })
      t.match(said(of), `The file ${file} takes the content of ${file}.ts-x1`)
      t.match(said(of), `kept in the theme as ${file}.before-2026-11-21`)
    }
  },
)

t.test('applying a test of each other kind says what changes in the shop', async t => {
  const theme = {
    kind: 'Theme' as const,
    control: themeTarget('kiln'),
    variant: themeTarget('harbour'),
  }
  t.match(said(facts(theme)), 'The theme “Harbour” is published')
  t.match(
    said(facts({ ...theme, appliedArm: 'variant' }), 'control'),
    'The theme “Kiln” is published again.',
  )
  t.equal(
    said(facts({ kind: 'UrlRedirect', controlUrl: '/a', redirectUrl: '/b' })),
    'The shop itself sends everyone from /a to /b.',
  )
  const byScript = { reason: 'It redirects nothing.', remedy: 'Show it there.' }
  const scripted = facts({ kind: 'UrlRedirect', controlUrl: '/a', redirectUrl: '/b' }, { byScript })
  t.equal(
    said(scripted),
    'Our script sends everyone from /a to /b, and counts nobody for it. Search engines and visitors without scripts still get the control’s page. It redirects nothing. Show it there.',
  )
  t.match(applyWords(scripted, 'variant').later, 'for as long as Twinshelf is installed')
  t.equal(
    said(
      facts({
        kind: 'UrlRedirect',
        controlUrl: '/a',
        appliedArm: 'variant',
        sendsByScript: true,
      }),
      'control',
    ),
    'Our script no longer sends visitors on, so /a is shown again.',
  )
  t.equal(
    appliedWords('variant', { isByScript: true }),
    'Variant applied, by our script. Search engines and visitors without scripts still get the control’s page',
  )
  t.match(
    said(facts({ kind: 'Price' }, { products: 3 })),
    /^The prices of 3 products are set .* What was not tested keeps its price\.$/,
  )
  t.match(
    said(
      facts(
        { kind: 'Price' },
        { products: 3, repriced: Array.from({ length: 7 }, (_, i) => `Mug ${i} costs more now.`) },
      ),
    ),
    'changed since are replaced, too: Mug 0 costs more now. Mug 1 costs more now. Mug 2 costs more now. Mug 3 costs more now. Mug 4 costs more now. And 2 more.',
  )
  const action = { selector: 'h1', kind: 'text' as const, value: 'x', name: '' }
  t.match(
    said(
      facts({
        kind: 'PageElement',
        domSelectors: [{ id: '', urlPatterns: ['/'], actions: [action, action] }],
      }),
    ),
    'shows the variant’s 2 changes to everyone, and counts nobody',
  )
})

t.test(
  'a running test ends first; control without an applied variant does not change the shop',
  async t => {
    for (const kind of testKindNames) {
      const of = facts({ kind, ...product, status: 'Active' })
      t.match(said(of), /^The test ends first/, kind)
      t.match(said(of, 'control'), /^The test ends first/, kind)
      t.type(said(facts({ kind, ...product, appliedArm: 'variant' }), 'control'), 'string', kind)
    }
    t.match(said(facts(product), 'control'), 'Your shop does not change.')
    t.equal(
      said(facts({ kind: 'Price' }, { products: 2 }), 'control'),
      'Your shop and its prices do not change.',
    )
    t.match(
      said(facts({ kind: 'UrlRedirect', controlUrl: '/a', appliedArm: 'variant' }), 'control'),
      'We delete the redirect, so /a is shown again.',
    )
    t.match(
      said(facts({ kind: 'Price', appliedArm: 'variant' }, { products: 2 }), 'control'),
      'set back to what they were before, except those that you have changed since.',
    )
  },
)

t.test('a test that cannot be applied has a reason', async t => {
  const own = { ...test, isImported: false }
  t.match(whyNotApplied({ ...own, kind: 'Api' }), /your developer ships the arm that won/)
  t.match(whyNotApplied({ ...own, status: 'Scheduled', startAt: null }), /never run/)
  for (const status of ['Active', 'Paused', 'OnHold', 'Suspended', 'Ended'] as const)
    t.equal(whyNotApplied({ ...own, status }), null, status)
  t.match(whyNotApplied({ ...own, isImported: true }), /was imported .* nothing to apply/)
})

t.test('a warning is shown before applying a variant that did not win', async t => {
  const caution = (
    verdict: NonNullable<ApplyFacts['verdict']>,
    status: 'Active' | 'Ended' = 'Ended',
    arm: 'control' | 'variant' = 'variant',
  ) => applyCaution({ verdict, test: { status } }, arm)
  t.equal(caution('winner'), null)
  t.match(caution('loser'), /the variant did worse/)
  t.match(caution('tooEarly'), /ended without a winner/)
  t.match(caution('leaning', 'Active'), /has no winner yet/)
  t.match(caution('splitBroken'), /says nothing about which arm is better/)
  t.equal(caution('loser', 'Ended', 'control'), null)
})
