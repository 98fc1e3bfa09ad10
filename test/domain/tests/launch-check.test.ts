import t from 'tap'
import { amountsIn } from '../../../domain/amounts.ts'
import {
  ambersOf,
  askedAbout,
  checkOfField,
  good,
  heldUpBy,
  inOrder,
  isUnseen,
  launchCheck,
  launchCheckNames,
  type LaunchChecks,
  lengthCheck,
  linesOf,
  problemChecks,
  problemsOfChecks,
  redsOf,
  sharingCheck,
} from '../../../domain/tests/launch-check.ts'
import { type PageVisit, visitChecks, type Visited } from '../../../domain/tests/launch-visit.ts'
import { templateTarget, themeTarget } from '../../../domain/tests/test-target.ts'

t.test('every problem of a draft is one line that links to its field', async t => {
  for (const [field, name] of [
    ['title', 'filled'],
    ['weights', 'filled'],
    ['changes.0.value', 'filled'],
    ['urlPatterns', 'pages'],
    ['controlUrl', 'redirect'],
    ['variant', 'target'],
    ['content', 'target'],
    ['products.3', 'products'],
    ['audienceIds.0', 'audience'],
    ['automaticallyEndAt', 'schedule'],
    ['kind', 'plan'],
  ] as const)
    t.equal(checkOfField(field), name, field)
  const checks = problemChecks([
    { field: 'products.3', message: 'A mug is in “Dearer mugs” already.' },
  ])
  t.match(checks, [{ name: 'products', tone: 'bad', field: 'products.3', remedy: null }])
  t.same(
    problemsOfChecks([
      good('script', 'There.'),
      ...checks,
      launchCheck('errors', 'warn', 'Noise.'),
    ]),
    [{ field: 'products.3', message: 'A mug is in “Dearer mugs” already.' }],
  )
  t.same(
    problemsOfChecks([
      launchCheck('opens', 'bad', 'It does not open.', { remedy: 'Put it back.' }),
    ]),
    [{ field: 'opens', message: 'It does not open. Put it back.' }],
  )
  const all = launchCheckNames.map(name =>
    launchCheck(name, name === 'sharing' ? 'warn' : 'bad', 'x'),
  )
  t.same(inOrder(all.toReversed()), all)
  t.equal(redsOf(all).length + ambersOf(all).length, all.length)
})

t.test('a launch without a browser’s check is confirmed first, if there is a browser', async t => {
  const red = launchCheck('selectors', 'bad', 'Nothing found.'),
    noise = launchCheck('errors', 'warn', 'Noise.')
  const found = (state: LaunchChecks['browser']['state'], ...checks: LaunchChecks['checks']) => ({
    checks: [good('filled', 'Set.'), launchCheck('script', 'warn', 'On its way.')],
    browser: {
      state,
      checks,
      checkedAt: null,
      jobId: null,
      progress: 0,
      message: 'The shop’s page took longer than half a minute to draw.',
    },
  })
  const asked = (of: ReturnType<typeof found>) => askedAbout(of).map(({ message }) => message)
  for (const [of, lines, unseen, words] of [
    [found('none'), 3, true, ['The pages have not been opened in a browser yet.']],
    [
      found('none', launchCheck('browser', 'warn', 'There is no browser on this server.')),
      3,
      false,
      [],
    ],
    [found('stale', red), 3, true, ['The draft has changed since the pages were opened.']],
    [
      found('failed'),
      3,
      true,
      ['The pages could not be opened: The shop’s page took longer than half a minute to draw.'],
    ],
    [found('running', red), 2, true, []],
    [found('done', good('opens', 'Open.'), noise), 4, false, ['Noise.']],
  ] as const) {
    t.equal(linesOf(of).length, lines, of.browser.state)
    t.equal(isUnseen(of.browser), unseen, of.browser.state)
    t.same(asked(of), words, of.browser.state)
  }
  t.same(
    linesOf(
      found('none', launchCheck('browser', 'warn', 'There is no browser on this server.')),
    ).at(-1)!.message,
    'There is no browser on this server.',
    'the line says why, because the merchant cannot start the check',
  )
  t.same(
    heldUpBy([
      red,
      launchCheck('opens', 'bad', 'Closed.'),
      launchCheck('plan', 'bad', 'None.', { field: 'kind' }),
      noise,
    ]).map(({ name }) => name),
    ['opens', 'plan'],
    'only problems that no field of the draft can fix',
  )
})

t.test('the line about shared visitors names the tests and the longer time', async t => {
  const tests = (...titles: string[]) => titles.map(title => ({ id: title, title }))
  t.match(sharingCheck({ tests: [], days: 14, daysAlone: 14 }), { tone: 'good' })
  t.match(sharingCheck({ tests: tests('Badge'), days: 35, daysAlone: 21 }), {
    tone: 'warn',
    message: 'Launch beside “Badge”: both take about 14 days longer.',
  })
  t.match(sharingCheck({ tests: tests('A', 'B'), days: 22, daysAlone: 21 }), {
    message: 'Launch beside “A” and “B”: all take about 1 day longer.',
  })
  t.match(sharingCheck({ tests: tests('Badge'), days: 14, daysAlone: 14 }), {
    message: 'Launch beside “Badge”: each gets half of the visitors.',
  })
  t.match(sharingCheck({ tests: tests('A', 'B', 'C', 'D', 'E'), days: 14, daysAlone: 14 }), {
    message: 'Launch beside “A”, “B”, “C” and 2 more: each gets one part in 6 of the visitors.',
  })
})

const page = (arm: 0 | 1, over: Partial<PageVisit> = {}): PageVisit => ({
  path: '/products/mug',
  arm,
  status: 200,
  end: '/products/mug?twinshelf_preview=x',
  hasPreview: true,
  template: 'product',
  theme: '1',
  errors: [],
  found: { '.buy': 1 },
  looks: { '.buy': arm === 0 ? 'a' : 'b' },
  amounts: [],
  asked: [],
  ...over,
})
const both = (
  variant: Partial<PageVisit> = {},
  control: Partial<PageVisit> = {},
  over: Partial<Visited> = {},
): Visited => ({
  kind: 'PageElement',
  selectors: ['.buy'],
  unopened: 0,
  visits: [page(0, control), page(1, variant)],
  targets: [null, null],
  redirectUrl: '',
  hypotheses: ['c', 'v'],
  prices: [],
  ...over,
})
const tones = (visited: Visited) =>
  Object.fromEntries(visitChecks(visited).map(({ name, tone }) => [name, tone]))
const said = (visited: Visited, name: string) =>
  visitChecks(visited).find(check => check.name === name)?.message

t.test('the lines about both arms in a browser', async t => {
  t.same(tones(both()), { opens: 'good', shown: 'good', errors: 'good', selectors: 'good' })
  t.same(
    tones(both({ status: 404 })),
    { opens: 'bad' },
    'a page that is not there has no other line',
  )
  t.equal(said(both({ status: 404 }), 'opens'), '/products/mug answers with 404 in the variant.')
  t.equal(said(both({}, { status: null }), 'opens'), '/products/mug does not open in the control.')
  t.equal(
    said(both({ hasPreview: false }), 'shown'),
    'The Twinshelf script did not run on /products/mug.',
  )
})

t.test('a script error that is also in the control is only a warning', async t => {
  t.match(visitChecks(both({ errors: ['TypeError: x'] })), [
    {},
    {},
    {
      name: 'errors',
      tone: 'bad',
      message:
        'The variant has an error that the control does not have, on /products/mug: TypeError: x',
    },
    {},
  ])
  t.match(visitChecks(both({ errors: ['TypeError: x'] }, { errors: ['TypeError: x'] })), [
    {},
    {},
    { name: 'errors', tone: 'warn', message: /also in the control: TypeError: x/ },
    {},
  ])
  t.equal(tones(both({}, { errors: ['TypeError: x'] }))['errors'], 'warn')
})

t.test('a selector must find an element in one of the arms, and not too many', async t => {
  t.equal(
    tones(both({ found: { '.buy': 0 } }))['selectors'],
    'good',
    'the variant removed the element',
  )
  t.equal(
    tones(both({ found: { '.buy': 2 } }, { found: { '.buy': 0 } }))['selectors'],
    'good',
    'an earlier change inserted the element',
  )
  t.equal(
    said(both({ found: { '.buy': 0 } }, { found: { '.buy': 0 } }), 'selectors'),
    '“.buy” finds nothing on the tested pages.',
  )
  t.equal(tones(both({ found: { '.buy': -1 } }, { found: { '.buy': -1 } }))['selectors'], 'bad')
  const nowhere = { found: { '.buy': 0 } }
  t.match(
    visitChecks(both(nowhere, nowhere, { unopened: 3 })).at(-1),
    { tone: 'warn', message: '“.buy” finds nothing on the page that was opened; 3 more match.' },
    'the element may be on another page',
  )
  t.equal(
    tones(both({ found: { '.buy': -1 } }, { found: { '.buy': -1 } }, { unopened: 3 }))['selectors'],
    'bad',
    'an invalid selector finds nothing on any page',
  )
  t.match(visitChecks(both({}, { found: { '.buy': 201 } })).at(-1), {
    tone: 'warn',
    message: '“.buy” finds 201 elements on one page.',
  })
  t.equal(tones(both({}, { found: { '.buy': 200 } }))['selectors'], 'good')
})

t.test('changes without a visible difference are a problem', async t => {
  const same = { looks: { '.buy': 'a', '.badge': 'a' } },
    one = { looks: { '.buy': 'a', '.badge': 'b' } }
  t.match(visitChecks(both(same, same)).at(-1), {
    name: 'selectors',
    tone: 'bad',
    message: /make no difference: both arms look the same/,
  })
  t.equal(
    tones(both(same, same, { unopened: 3 }))['selectors'],
    'warn',
    'there may be a difference on another page',
  )
  const two = { selectors: ['.buy', '.badge'] },
    found = { found: { '.buy': 1, '.badge': 1 } }
  t.match(visitChecks(both({ ...one, ...found }, { ...same, ...found }, two)).at(-1), {
    tone: 'warn',
    message: 'The change of “.buy” makes no difference on the pages that were opened.',
  })
  t.equal(
    tones(both(same, same, { kind: 'Api' }))['selectors'],
    undefined,
    'the shop’s own code is not compared',
  )
})

t.test('the planned length is a line of the list', async t => {
  const plan = {
    days: 21,
    endsAt: '2026-12-14T12:00:00.000Z',
    plannedVisitors: 12_000,
    daysNeeded: 19,
    dailyVisitors: 640,
    source: 'shop' as const,
    hasHistory: true,
    traffic: 'enough' as const,
    smallestEffect: null,
  }
  const about = { minimumEffect: 0.1, timeZone: 'UTC', automaticallyEndAt: null }
  t.match(lengthCheck(plan, about), {
    name: 'length',
    tone: 'good',
    message: '21 days, planned end 14 Dec 2026.',
  })
  t.match(
    lengthCheck(
      { ...plan, traffic: 'notEnough', days: 84, daysNeeded: 200, smallestEffect: 0.3 },
      about,
    ),
    {
      tone: 'warn',
      field: 'minimumEffect',
      message: /^84 days, planned end 14 Dec 2026\. Not enough traffic: to find a change of 10%/,
      remedy: /Look for a larger change/,
    },
  )
  t.match(lengthCheck(plan, { ...about, automaticallyEndAt: '2026-12-01T00:00:00.000Z' }), {
    tone: 'warn',
    field: 'automaticallyEndAt',
    message: 'The test ends automatically on 1 Dec 2026, before its planned end on 14 Dec 2026.',
  })
  t.match(
    lengthCheck(
      { ...plan, traffic: 'unknown', dailyVisitors: 0, hasHistory: false, source: 'none' },
      about,
    ),
    { tone: 'good', message: /^At least 21 days/ },
  )
})

t.test('the variant shows its page, template or theme', async t => {
  const redirect = { kind: 'UrlRedirect' as const, redirectUrl: '/pages/new/?a=1' }
  t.equal(tones(both({ end: '/pages/New?twinshelf_preview=x' }, {}, redirect))['shown'], 'good')
  t.equal(tones(both({}, {}, redirect))['shown'], 'bad')
  const template = {
    kind: 'Template' as const,
    targets: [
      templateTarget('product', ''),
      templateTarget('product', 'ts-a'),
    ] as Visited['targets'],
  }
  t.equal(tones(both({ template: 'product.ts-a' }, {}, template))['shown'], 'good')
  t.equal(
    tones(both({ template: '' }, {}, template))['shown'],
    'good',
    'a page that does not name its template',
  )
  t.match(visitChecks(both({}, {}, template))[1], {
    tone: 'bad',
    field: 'variant',
    message: '/products/mug does not show the variant.',
  })
  const theme = {
    kind: 'Theme' as const,
    targets: [themeTarget('1'), themeTarget('2')] as Visited['targets'],
  }
  t.equal(tones(both({ theme: '2' }, {}, theme))['shown'], 'good')
  t.equal(tones(both({}, {}, theme))['shown'], 'bad')
})

t.test('the variant’s prices are shown, and the code of an API test asks for its arm', async t => {
  const price = {
    kind: 'Price' as const,
    prices: [{ path: '/products/mug', title: 'Mug', variants: [{ control: 2400, variant: 2700 }] }],
  }
  const variants = (...pairs: [number, number][]) => ({
    ...price,
    prices: [
      { ...price.prices[0]!, variants: pairs.map(([control, variant]) => ({ control, variant })) },
    ],
  })
  t.equal(
    tones(both({ amounts: [2700, 1000] }, { amounts: [2400, 1000] }, price))['prices'],
    'good',
  )
  t.equal(
    said(both({ amounts: [2400] }, { amounts: [2400] }, price), 'prices'),
    '/products/mug still shows the control’s price of Mug in the variant.',
  )
  t.equal(
    tones(both({ amounts: [2700] }, { amounts: [2700, 2400] }, price))['prices'],
    'bad',
    'another product with the same price',
  )
  t.equal(tones(both({ amounts: [] }, { amounts: [] }, price))['prices'], 'warn')
  t.equal(
    tones(both({}, {}, variants([2400, 2400])))['prices'],
    'good',
    'a price that is the same in both arms',
  )
  t.equal(
    tones(both({ amounts: [2400] }, { amounts: [2400] }, variants([2400, 2400], [3000, 3300])))[
      'prices'
    ],
    'warn',
    'a product variant that the page does not show at first',
  )
  t.equal(
    tones(
      both(
        { amounts: [2400, 3300] },
        { amounts: [2400, 3000] },
        variants([2400, 2400], [3000, 3300]),
      ),
    )['prices'],
    'good',
  )
  t.equal(
    tones(both({ amounts: [2400] }, { amounts: [2400] }, variants([2400, 2700], [2400, 2400])))[
      'prices'
    ],
    'warn',
    'it is unknown which of the two product variants the page shows',
  )
  t.equal(tones(both({ asked: ['v'] }, {}, { kind: 'Api' }))['api'], 'good')
  t.equal(tones(both({ asked: ['another'] }, {}, { kind: 'Api' }))['api'], 'warn')
})

t.test('amounts of money are read from a text', async t => {
  for (const [text, decimals, amounts] of [
    ['$24.00 was $1,234.50', 2, [2400, 123450]],
    ['24,00 € / 1.234,50 €', 2, [2400, 123450]],
    ['CHF 1’234.50', 2, [123450]],
    ['1 234,50 kr', 2, [123450]],
    ['from $24', 2, [2400]],
    ['¥1,200', 0, [1200]],
    ['1.234 BHD', 3, [1234]],
    ['12 mugs, 350 ml', 2, [1200, 35000]],
    ['none', 2, []],
  ] as const)
    t.same(amountsIn(text, decimals), amounts, text)
})
