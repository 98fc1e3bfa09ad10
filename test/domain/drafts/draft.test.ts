import t from 'tap'
import { launchProblems, pagesOnly, weightProblems } from '../../../domain/drafts/draft.ts'
import { domSelectorId, zeroId } from '../../../domain/drafts/dom-selector.ts'

const element = {
  kind: 'PageElement' as const,
  title: 'Reviews first',
  weights: [0.5, 0.5] as [number, number],
  controlUrl: '',
  redirectUrl: '',
  domSelectors: [
    {
      id: zeroId,
      urlPatterns: ['/products/*'],
      actions: [{ selector: 'h1', kind: 'text' as const, value: 'Hi', name: '' }],
    },
  ],
}
const fieldsOf = (draft: Parameters<typeof launchProblems>[0]) =>
  launchProblems(draft).map(p => p.field)

t.test('every problem that prevents a launch names its field', async t => {
  t.same(fieldsOf(element), [])
  t.same(fieldsOf({ ...element, title: '  ' }), ['title'])
  t.same(fieldsOf({ ...element, weights: [0.5, 0.4] }), ['weights'])
  t.same(fieldsOf({ ...element, domSelectors: [] }), ['urlPatterns', 'changes'])
  const change = (over: object) => ({
    ...element,
    domSelectors: [
      {
        ...element.domSelectors[0]!,
        actions: [{ ...element.domSelectors[0]!.actions[0]!, ...over }],
      },
    ],
  })
  t.same(fieldsOf(change({ selector: '' })), ['changes.0.selector'])
  t.same(fieldsOf(change({ value: '' })), ['changes.0.value'])
  t.same(fieldsOf(change({ kind: 'hide', value: '' })), [], 'hiding needs no value')
  t.same(fieldsOf(change({ kind: 'style', name: '' })), ['changes.0.name'])
  const redirect = { ...element, kind: 'UrlRedirect' as const, domSelectors: [] }
  t.same(fieldsOf(redirect), ['controlUrl', 'redirectUrl'])
  t.same(fieldsOf({ ...redirect, controlUrl: '/pages/a', redirectUrl: '/pages/a' }), [
    'redirectUrl',
  ])
  t.same(fieldsOf({ ...redirect, controlUrl: '/pages/a', redirectUrl: '/pages/b' }), [])
  for (const [controlUrl, redirectUrl] of [
    ['/pages/a', '/pages/a#x'],
    ['/pages/a', '/Pages/A/'],
    ['/pages/a?from=mail', '/pages/a'],
    ['/pages/a?v=1', '/pages/a?v=2'],
  ] as const)
    t.same(
      fieldsOf({ ...redirect, controlUrl, redirectUrl }),
      ['redirectUrl'],
      `${controlUrl} → ${redirectUrl}: nobody would be counted`,
    )
  t.same(
    fieldsOf({ ...redirect, controlUrl: '/pages/a', redirectUrl: '/pages/a?v=2' }),
    [],
    'an address that differs by a query can be tested',
  )
})

t.test('shares are above 0 and add up to 1', async t => {
  for (const [weights, good] of [
    [[0.5, 0.5], true],
    [[0.9, 0.1], true],
    [[0.3333, 0.6667], true],
    [[1, 0], false],
    [[0.6, 0.6], false],
    [[NaN, 1], false],
    [[-0.5, 1.5], false],
  ] as const)
    t.equal(weightProblems(weights).length === 0, good, String(weights))
})

t.test('a draft that starts from pages has these pages and no changes', async t => {
  t.same(pagesOnly(['/a', '/b/*']), [{ id: zeroId, actions: [], urlPatterns: ['/a', '/b/*'] }])
  t.same(pagesOnly([]), [])
})

t.test(
  'a DOM selector id that is not 36 characters long is replaced by the all-zero id',
  async t => {
    t.equal(domSelectorId('short'), zeroId)
    t.equal(domSelectorId(undefined), zeroId)
    const id = 'b7c0a3a2-6b0f-4a55-9a53-0d2ab2b54f0e'
    t.equal(domSelectorId(id), id)
  },
)
