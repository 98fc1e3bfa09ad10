import t from 'tap'
import type { TestDraft } from '../../../domain/drafts/draft.ts'
import { pageGroups } from '../../../domain/drafts/dom-selector.ts'
import { formOf, parseDraft, storable } from '../../../domain/drafts/draft-form.ts'
import { typed, type DraftForm } from '../../../domain/drafts/draft-form-posted.ts'
import { stepOfField, stepsOf, stepToFix } from '../../../domain/drafts/draft-steps.ts'

const shop = 'https://fern-and-kiln.example'
const draft: TestDraft = {
  id: 'd',
  kind: 'PageElement',
  title: 'Delivery promise',
  hypothesisDescription: '',
  controlTitle: 'Control',
  variantTitle: 'Variant',
  goal: 'ConversionRate',
  weights: [1 / 3, 2 / 3],
  minimumEffect: 0.075,
  expectedVisitors: null,
  controlUrl: '',
  redirectUrl: '',
  origin: null,
  hypotheses: [],
  domSelectors: [
    {
      id: 's',
      urlPatterns: ['/products/*', '/'],
      actions: [{ selector: 'h1', kind: 'text', value: 'Hello', name: '' }],
    },
  ],
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
  previewUrls: [shop, shop],
}
const timeZone = 'Europe/Berlin',
  now = new Date('2026-11-21T12:00:00Z')
const form = formOf(draft, timeZone)
const context = { origin: shop, timeZone, now, stored: form }
const problemsOf = (part: Partial<DraftForm>) =>
  parseDraft({ ...form, controlWeight: '50', variantWeight: '50', ...part }, context).problems.map(
    p => p.field,
  )

t.test('a stored draft fills the fields as a person writes them', async t => {
  t.match(form, {
    controlWeight: '33.33',
    variantWeight: '66.67',
    minimumEffect: '7.5',
    urlPatterns: '/products/*\n/',
  })
})

t.test('the fields of one step replace the stored ones, and all others stay', async t => {
  const over = typed(form, { hypothesisDescription: 'Because', goal: 'AddToCartRate' })
  t.equal(over.hypothesisDescription, 'Because')
  t.equal(over.goal, 'AddToCartRate')
  t.same(over.changes, form.changes, 'the form had no changes field')
  t.same(typed(form, { changes: '0' }).changes, [], 'the form had an empty list of changes')
  t.equal(typed(form, { goal: 'toString' }).goal, 'ConversionRate', 'an unknown goal is not taken')
})

t.test('posted changes keep their order, and their CRLF becomes LF', async t => {
  const { changes } = typed(form, {
    changes: '2',
    'changes.0.selector': 'h1',
    'changes.0.kind': 'html',
    'changes.0.value': 'a\r\nb',
    'changes.0.name': '',
    'changes.1.selector': 'p',
    'changes.1.kind': 'nonsense',
    'changes.1.value': 'x',
    'changes.1.name': '',
  })
  t.same(changes, [
    { selector: 'h1', kind: 'html', value: 'a\nb', name: '' },
    { selector: 'p', kind: 'text', value: 'x', name: '' },
  ])
})

t.test('shares are percents in any usual spelling and must add up to 100', async t => {
  t.same(
    parseDraft({ ...form, controlWeight: '33,3 %', variantWeight: '66.7' }, context).update.weights,
    [0.333, 0.667],
  )
  t.same(problemsOf({ controlWeight: '50', variantWeight: '40' }), ['weights'])
  t.same(problemsOf({ controlWeight: 'half', variantWeight: '50' }), ['weights'])
  t.same(problemsOf({ controlWeight: '0', variantWeight: '100' }), ['weights'])
  t.same(
    problemsOf({ controlWeight: '1e1', variantWeight: '90' }),
    ['weights'],
    'no odd number formats',
  )
  t.same(problemsOf({}), [])
})

t.test('an unfinished draft may be saved', async t => {
  t.same(
    problemsOf({ title: '', urlPatterns: '', changes: [], controlUrl: '', redirectUrl: '' }),
    [],
  )
})

t.test('pages must be in this shop', async t => {
  t.same(
    parseDraft({ ...form, urlPatterns: ` ${shop}/products/*\n\n*\n${shop.toUpperCase()}` }, context)
      .urlPatterns,
    ['/products/*', '*', '/'],
  )
  for (const foreign of [
    'https://evil.example/x',
    `${shop}.evil.example/x`,
    'products/*',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
  ]) {
    t.same(problemsOf({ urlPatterns: foreign }), ['urlPatterns'], foreign)
    t.same(problemsOf({ controlUrl: foreign }), ['controlUrl'], foreign)
  }
  t.equal(
    parseDraft({ ...form, controlUrl: `${shop}/pages/gift-guide?a=1` }, context).update.controlUrl,
    '/pages/gift-guide?a=1',
  )
})

t.test('a value that is too long or out of range is named at its field', async t => {
  t.same(problemsOf({ title: 'x'.repeat(121) }), ['title'])
  t.same(problemsOf({ minimumEffect: '0.5' }), ['minimumEffect'])
  t.same(problemsOf({ minimumEffect: '101' }), ['minimumEffect'])
  t.same(
    problemsOf({ changes: [{ selector: 'x'.repeat(1001), kind: 'text', value: '', name: '' }] }),
    ['changes.0.selector'],
  )
  t.same(
    problemsOf({
      changes: Array.from({ length: 51 }, () => ({
        selector: 'a',
        kind: 'hide' as const,
        value: '',
        name: '',
      })),
    }),
    ['changes'],
  )
  t.same(problemsOf({ urlPatterns: Array.from({ length: 21 }, (_, i) => `/p${i}`).join('\n') }), [
    'urlPatterns',
  ])
})

t.test('a refused form opens at the step to fix', async t => {
  const at = (...fields: string[]) => fields.map(field => ({ field, message: '' }))
  t.equal(
    stepToFix(at('changes.0.value', 'urlPatterns'), 'goal', 'PageElement'),
    'pages',
    'the first step that is wrong',
  )
  t.equal(
    stepToFix(at('changes.0.value', 'urlPatterns'), 'changes', 'PageElement'),
    'changes',
    'a wrong step that is open stays open',
  )
  t.equal(stepToFix(at('title'), 'split', 'PageElement'), 'split', 'the title is on every step')
  t.equal(
    stepToFix(at('title', 'changes'), 'split', 'PageElement'),
    'changes',
    'a wrong title does not hide the step to fix',
  )
  t.equal(stepOfField('weights', 'Theme'), 'split')
  t.notOk(stepsOf('UrlRedirect').includes('changes'))
})

t.test(
  'start and end are in the shop’s time zone, and a stored start that has passed is no problem',
  async t => {
    const at = (launchAt: string, automaticallyEndAt = '') =>
      parseDraft(
        { ...form, controlWeight: '50', variantWeight: '50', launchAt, automaticallyEndAt },
        context,
      )
    t.same(at('').schedule, null, 'the schedule is not changed')
    t.same(at('2026-11-25T09:00', '2026-12-20T18:30').schedule, {
      launchAt: '2026-11-25T08:00:00.000Z',
      automaticallyEndAt: '2026-12-20T17:30:00.000Z',
    })
    t.same(
      at('2026-11-21T12:59').problems.map(p => p.field),
      ['launchAt'],
      'it has passed in the shop’s time zone',
    )
    t.same(
      at('', '2026-11-22T12:00').problems.map(p => p.field),
      ['automaticallyEndAt'],
      'the end is less than a day from now',
    )
    t.same(
      at('2026-11-25T09:00', '2026-11-26T08:59').problems.map(p => p.field),
      ['automaticallyEndAt'],
      'the end is less than a day after the start',
    )
    t.same(
      at('2026-02-30T09:00', 'soon').problems.map(p => p.field),
      ['launchAt', 'automaticallyEndAt'],
    )
    const stored = {
      ...form,
      controlWeight: '50',
      variantWeight: '50',
      launchAt: '2026-11-01T09:00',
    }
    const later = parseDraft(
      { ...stored, automaticallyEndAt: '2026-12-20T18:30' },
      { ...context, stored },
    )
    t.same(
      [later.problems, later.schedule],
      [[], { automaticallyEndAt: '2026-12-20T17:30:00.000Z' }],
    )
    t.same(
      parseDraft({ ...stored, launchAt: '' }, { ...context, stored }).schedule,
      { launchAt: null },
      'an empty field removes the start',
    )
  },
)

t.test(
  'changes on different pages: an empty line separates groups of pages, and groups cannot be merged',
  async t => {
    const action = (selector: string) => ({ selector, kind: 'hide' as const, value: '', name: '' })
    const domSelectors = [
      { id: 's', urlPatterns: ['/products/*', ' / '], actions: [action('h1')] },
      { id: 't', urlPatterns: ['/collections/*'], actions: [action('.price')] },
      { id: 'u', urlPatterns: ['/', '/products/*'], actions: [action('h2')] },
    ]
    t.same(pageGroups(domSelectors), [
      { urlPatterns: ['/products/*', '/'], actions: [action('h1'), action('h2')] },
      { urlPatterns: ['/collections/*'], actions: [action('.price')] },
    ])
    t.same(
      pageGroups([domSelectors[1]!, { urlPatterns: [], actions: [action('h1')] }]),
      [{ urlPatterns: ['/collections/*'], actions: [action('.price'), action('h1')] }],
      'a change without pages is made on all pages',
    )
    const stored = formOf({ ...draft, domSelectors }, timeZone),
      read = (part: Partial<DraftForm>) =>
        parseDraft(
          { ...stored, controlWeight: '50', variantWeight: '50', ...part },
          { ...context, stored },
        )
    t.match(stored, {
      urlPatterns: '/products/*\n/\n\n/collections/*',
      changes: [action('h1'), action('h2'), { ...action('.price'), group: 1 }],
    })
    t.match(read({ urlPatterns: `/\n \n\n${shop}/collections/new\n/search` }), {
      problems: [],
      pages: [['/'], ['/collections/new', '/search']],
      urlPatterns: ['/', '/collections/new', '/search'],
    })
    for (const joined of ['/products/*\n/collections/*', '', '/a\n\n/b\n\n/c']) {
      const wrong = read({ urlPatterns: joined })
      t.match(wrong.problems, [{ field: 'urlPatterns', message: /2 groups of pages/ }])
      t.same(storable(wrong, stored, wrong.problems).pages, [
        ['/products/*', '/'],
        ['/collections/*'],
      ])
    }
    t.same(
      typed(stored, {
        changes: '1',
        'changes.0.selector': 'a',
        'changes.0.kind': 'hide',
        'changes.0.group': '1',
      }).changes,
      [{ ...action('a'), group: 1 }],
    )
  },
)

t.test('a wrong field keeps its stored value, and the other fields are stored', async t => {
  const change = { selector: 'h1', kind: 'text', value: 'Hello', name: '' } as const
  const part = (typedIn: Partial<DraftForm>, ...more: string[]) => {
    const read = parseDraft({ ...form, ...typedIn }, context)
    return storable(read, form, [...read.problems, ...more.map(field => ({ field, message: '' }))])
  }
  const mixed = part({
    title: 'Kept',
    controlWeight: '60',
    urlPatterns: 'nowhere',
    audienceIds: ['a'],
    launchAt: 'soon',
    automaticallyEndAt: '2026-12-20T18:30',
  })
  t.match(mixed, {
    update: { title: 'Kept', audienceIds: ['a'] },
    urlPatterns: ['/products/*', '/'],
    schedule: null,
  })
  t.notOk('weights' in mixed.update)
  t.same(
    part({ changes: [{ ...change, selector: '.buy[', value: 'Mine' }] }, 'changes.0.selector')
      .changes,
    [{ ...change, value: 'Mine' }],
  )
  t.same(
    part(
      {
        changes: [
          { ...change, value: 'Mine' },
          { ...change, selector: '.buy[' },
        ],
      },
      'changes.1.selector',
    ).changes,
    [
      { ...change, value: 'Mine' },
      { ...change, selector: '' },
    ],
    'a new row has no stored value',
  )
  t.same(
    part({ changes: [{ ...change, kind: 'html', value: '<script>' }] }, 'changes.0.value').changes,
    [{ ...change, kind: 'html', value: '' }],
    'a change of another kind has no stored value',
  )
  t.same(part({ changes: [] }, 'changes').changes, [change])
})

t.test('expected visitors are a whole number, and a test for some names audiences', async t => {
  for (const text of ['', '1', '4,000', ' 10 000 000 '])
    t.same(problemsOf({ expectedVisitors: text }), [], text)
  for (const text of ['0', '1.5', '-3', 'many', '1e3', '0x10', '10000001', '123456789'])
    t.same(problemsOf({ expectedVisitors: text }), ['expectedVisitors'], text)
  t.same(problemsOf({ audienceFor: 'some', audienceIds: [] }), ['audienceIds'])
  t.same(problemsOf({ audienceFor: 'some', audienceIds: ['a'] }), [])
  t.same(problemsOf({ audienceFor: 'everyone', audienceIds: [] }), [])
})

t.test('audiences and the way of assignment are read from the form', async t => {
  t.same(typed(form, { audienceIds: ['', 'a', 'b', 'a'] }).audienceIds, ['a', 'b'])
  t.same(
    typed({ ...form, audienceIds: ['a'] }, { audienceIds: '' }).audienceIds,
    [],
    'no ticked audience differs from a step without audiences',
  )
  t.same(typed({ ...form, audienceIds: ['a'] }, {}).audienceIds, ['a'])
  t.equal(form.audienceFor, 'everyone')
  t.match(typed(form, { audienceFor: 'some', audienceIds: ['', 'a'] }), {
    audienceFor: 'some',
    audienceIds: ['a'],
  })
  t.match(
    typed(
      { ...form, audienceFor: 'some', audienceIds: ['a'] },
      { audienceFor: 'everyone', audienceIds: ['', 'a'] },
    ),
    { audienceFor: 'everyone', audienceIds: [] },
  )
  t.same(
    problemsOf({ audienceFor: 'some' }),
    ['audienceIds'],
    '“chosen audiences” without an audience',
  )
  t.same(problemsOf({ audienceFor: 'everyone' }), [])
  t.equal(
    typed(form, { audienceFor: 'some', audienceIds: '', act: 'split.audience:new' }).audienceFor,
    'everyone',
    'the merchant is about to make an audience',
  )
  t.same(problemsOf({ audienceIds: Array.from({ length: 11 }, (_, i) => `a${i}`) }), [
    'audienceIds',
  ])
  t.equal(typed(form, { apiMode: 'manual' }).apiMode, null, 'only API tests have one')
  t.equal(typed({ ...form, apiMode: 'automatic' }, { apiMode: 'manual' }).apiMode, 'manual')
  t.equal(typed({ ...form, apiMode: 'automatic' }, { apiMode: 'whenever' }).apiMode, 'automatic')
})

t.test('each kind of test has its steps, and a field is in one step of the kind', async t => {
  const middle = (kind: TestDraft['kind']) => stepsOf(kind).slice(1, -2)
  t.same(middle('Theme'), ['theme'])
  t.same(middle('Template'), ['template', 'content'])
  t.same(middle('PageContent'), ['page', 'content'])
  t.same(middle('UrlRedirect'), ['pages'])
  t.same(middle('PageElement'), ['pages', 'changes'])
  t.same(middle('Api'), ['code'])
  t.same(middle('Price'), ['products'])
  t.equal(stepOfField('control', 'Theme'), 'theme')
  t.equal(stepOfField('control', 'PageContent'), 'page')
  t.equal(stepOfField('granular.0', 'Template'), 'template')
  t.equal(stepOfField('changes.0.value', 'PageElement'), 'changes')
  t.equal(stepOfField('changesome', 'PageElement'), null)
  t.equal(stepOfField('title', 'Api'), null)
})
