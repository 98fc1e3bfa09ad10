import t from 'tap'
import {
  neverSwapped,
  noVariantToSwap,
  swapProblem,
  unreadVariant,
  unusedVariant,
} from '../../../domain/drafts/swap-control.ts'
import { testKindNames } from '../../../domain/tests/test-kind.ts'
import {
  ownIsNoVariant,
  templateTarget,
  themeTarget,
  urlTarget,
} from '../../../domain/tests/test-target.ts'

const used = (count: number | null) => ({
  target: templateTarget('page', 'guide'),
  assignedCount: count,
})
const arms = {
  control: templateTarget('page', 'about'),
  variant: templateTarget('page', 'guide'),
}

t.test('only kinds whose variant can be what the shop shows now have a swap', async t => {
  t.same(
    testKindNames.filter(kind => neverSwapped[kind] === null),
    ['Theme', 'Template', 'PageContent', 'UrlRedirect'],
  )
  for (const kind of ['PageElement', 'Api', 'Price'] as const)
    t.equal(swapProblem({ kind, control: null, variant: null }, null), neverSwapped[kind], kind)
})

t.test(
  'a template can be swapped when pages use the variant and the control has a suffix',
  async t => {
    for (const kind of ['Template', 'PageContent'] as const) {
      t.equal(swapProblem({ kind, ...arms }, used(2)), null, kind)
      t.equal(swapProblem({ kind, ...arms }, used(0)), unusedVariant)
      t.equal(swapProblem({ kind, ...arms }, null), unreadVariant)
      t.equal(
        swapProblem({ kind, ...arms, control: templateTarget('page', '') }, used(2)),
        ownIsNoVariant,
      )
      t.equal(swapProblem({ kind, ...arms, variant: null }, null), noVariantToSwap)
    }
    t.equal(
      swapProblem(
        {
          kind: 'Template',
          control: templateTarget('home', ''),
          variant: templateTarget('home', 'copy'),
        },
        { target: templateTarget('home', 'copy'), assignedCount: null },
      ),
      unusedVariant,
      'the home page only uses its own template',
    )
  },
)

t.test('themes and pages can be swapped as soon as both are chosen', async t => {
  t.equal(
    swapProblem({ kind: 'Theme', control: themeTarget('1'), variant: themeTarget('2') }, null),
    null,
  )
  t.equal(
    swapProblem({ kind: 'UrlRedirect', control: urlTarget('/a'), variant: urlTarget('/b') }, null),
    null,
  )
  t.equal(
    swapProblem({ kind: 'UrlRedirect', control: urlTarget('/a'), variant: null }, null),
    noVariantToSwap,
  )
})
