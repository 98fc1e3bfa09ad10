import { Script } from 'node:vm'
import t from 'tap'
import { scriptParts } from '../../../domain/script/script-part.ts'
import { partsFor, runtimeName } from '../../../domain/script/needed-parts.ts'
import { publishedChange } from '../../../domain/script/published-change.ts'
import {
  changeKinds,
  type ScriptConfig,
  type ScriptTest,
} from '../../../domain/script/script-config.ts'
import {
  composeScript,
  goesElsewhere,
  haveConfigPlace,
  type ScriptSources,
} from '../../../engine/script/compose.ts'

const sources: ScriptSources = {
  runtimes: {
    '': 'run(__TWINSHELF_CONFIG__,__TWINSHELF_PARTS__)',
    'isSparing+keepsReferrer': 'runOther(__TWINSHELF_CONFIG__,__TWINSHELF_PARTS__)',
  },
  parts: Object.fromEntries(
    scriptParts.map(part => [part, `part_${part}`]),
  ) as ScriptSources['parts'],
  acts: Object.fromEntries(changeKinds.map(kind => [kind, `act_${kind}`])) as ScriptSources['acts'],
}
const test = (over: Partial<ScriptTest> = {}): ScriptTest =>
  ({ id: 'a', weights: [0.5, 0.5], ...over }) as ScriptTest
const config = (tests: ScriptTest[], over: Partial<ScriptConfig> = {}): ScriptConfig =>
  ({ shop: 'fern.shop.test', tests, ...over }) as ScriptConfig
const needs = (over: Partial<ScriptTest>) => [...partsFor(config([test(over)]))].sort()
const script = (tests: ScriptTest[], over: Partial<ScriptConfig> = {}) =>
  composeScript(sources, config(tests, over))
/** The parts whose names are in the script. */
const named = (text: string) =>
  scriptParts.filter(part => new RegExp(`part_${part}\\b`).test(text)).sort()
const change = { selector: 'h1', kind: 'text' as const, value: 'Hello', name: '' }

t.test('a script has only the parts that its tests need', async t => {
  t.same(needs({}), ['speed'])
  t.same(needs({ to: '/b' }), ['redirect', 'speed'])
  t.same(needs({ sent: '/b' }), ['sent'], 'only shops with such a winner carry it')
  t.same(needs({ changes: [change] }), ['elements', 'speed'])
  t.same(needs({ changes: [change, { ...change, pages: ['/a'] }] } as Partial<ScriptTest>), [
    'elements',
    'pages',
    'speed',
  ])
  t.same(needs({ audiences: [1] } as unknown as Partial<ScriptTest>), [
    'audience',
    'entry',
    'speed',
  ])
  t.same(needs({ audiences: [1, [null, ['DE']]] } as unknown as Partial<ScriptTest>), [
    'audience',
    'entry',
    'speed',
  ])
  t.same(
    needs({ audiences: [1, [['email']]] } as unknown as Partial<ScriptTest>),
    ['audience', 'channel', 'entry', 'speed'],
    'one of several audiences needs the channel',
  )
  for (const over of [
    {},
    { to: '/b' },
    { sent: '/b' },
    { changes: [change] },
    { audiences: [1] },
    { audiences: [[['email']]] },
    { prices: { a: [1, 2] } },
    { api: 'v' },
    { to: '/b', isManual: true },
  ] as unknown as Partial<ScriptTest>[])
    t.same(named(script([test(over)])), needs(over), JSON.stringify(over))
  t.same(named(script([], { always: [change] })), ['always', 'elements', 'pages'])
})

t.test('the script is valid JavaScript for every kind of test', async t => {
  const over = [
    {},
    { to: '/b' },
    { sent: '/c' },
    { changes: [change] },
    { audiences: [1] },
    { prices: { a: [1, 2] } },
    { api: 'v' },
    { view: ['', 'x'] },
    { view: ['a', 'b'] },
    { theme: ['', '2'] },
  ] as unknown as Partial<ScriptTest>[]
  for (const one of over)
    for (const more of [
      {},
      { always: [change] },
      { debug: true },
      { isSparing: true, keepsReferrer: true },
    ] as Partial<ScriptConfig>[])
      for (const tests of [[], [test(one)], over.map(test)])
        t.doesNotThrow(() => new Script(script(tests, more)), JSON.stringify([one, more]))
})

t.test(
  'each change has the act of its kind, and the script leaves out acts that no change needs',
  async t => {
    const acts = (tests: ScriptTest[], always?: (typeof change)[]) =>
      changeKinds.filter(kind => script(tests, always ? { always } : {}).includes(`act_${kind}`))
    t.same(acts([test({ changes: [change] })]), ['text'])
    t.same(
      acts([
        test({ changes: [change] }),
        test({ id: 'b', changes: [{ ...change, kind: 'style', name: 'color' }] }),
      ]),
      changeKinds.filter(kind => kind === 'text' || kind === 'style'),
    )
    t.same(acts([], [{ ...change, kind: 'text' }]), ['text'])
  },
)

t.test('a script redirects only to web addresses', async t => {
  for (const [to, goes] of [
    ['/b', true],
    ['https://shop.example/b', true],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
  ] as const)
    t.equal(script([test({ to })]).includes('part_redirect'), goes, to)
  t.same(
    [{ to: '/b' }, { view: ['', 'x'] }, { theme: ['1', '2'] }, {}].map(over =>
      goesElsewhere(test(over as Partial<ScriptTest>)),
    ),
    [true, true, true, false],
  )
})

t.test('the configuration has one place, and no value in it can end the script', async t => {
  t.same(
    [
      sources.runtimes,
      { ...sources.runtimes, isSparing: 'run(__TWINSHELF_PARTS__)' },
      { '': '__TWINSHELF_CONFIG____TWINSHELF_CONFIG__' },
    ].map(runtimes => haveConfigPlace({ ...sources, runtimes })),
    [true, false, false],
  )
  t.throws(() => composeScript({ ...sources, runtimes: { '': 'run()' } }, config([])), /one place/)
  t.match(script([test({ changes: [{ ...change, value: '</script>' }] })]), /\\u003c\/script/)
  t.same(publishedChange({ ...change, kind: 'style', name: 'color', value: 'red !important' }), [
    'h1',
    'style',
    'red',
    'color',
  ])
  const hidden = { ...change, kind: 'style' as const, name: 'color', value: 'ur!importantl(//x)' }
  t.equal(publishedChange(hidden)[2], hidden.value, 'only an !important at the end is removed')
  t.same(publishedChange(change), ['h1', 'text', 'Hello'])
})

t.test('a store with other switches gets the runtime that was built for them', async t => {
  t.same([{}, { isSparing: true }, { keepsReferrer: true, asksConsent: true }].map(runtimeName), [
    '',
    'isSparing',
    'asksConsent+keepsReferrer',
  ])
  t.match(script([], { keepsReferrer: true, isSparing: true }), /^runOther/)
  t.match(script([]), /^run\(/)
  t.throws(() => script([], { isSparing: true }), /one place/, 'never another runtime')
})

t.test(
  'only shops with a privacy API, and with someone to count, get a runtime that waits',
  async t => {
    const runtimes = { '': 'runs(__TWINSHELF_CONFIG__)', waits: 'waits(__TWINSHELF_CONFIG__)', asksConsent: 'asks(__TWINSHELF_CONFIG__)' } // prettier-ignore
    const privacy = { allowed: 'said', event: 'told', stored: { cookie: 'c', yes: 'y', no: 'n' } }
    const made = (tests: ScriptTest[], over: Partial<ScriptConfig>) =>
      composeScript({ ...sources, runtimes }, config(tests, over)).split('(')[0]
    const pageApis = { part: '/part.js', privacy }
    t.equal(made([test()], { pageApis }), 'waits')
    t.equal(made([], { pageApis }), 'runs')
    t.equal(made([test()], {}), 'runs')
    t.equal(made([test()], { pageApis: { part: '', cart: { event: 'e', product: 'p' } } }), 'runs')
    t.equal(
      made([test()], { pageApis, asksConsent: true }),
      'asks',
      'who has not agreed is left out',
    )
  },
)
