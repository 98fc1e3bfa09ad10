import t from 'tap'
import { kindCapability, testKindNames } from '../../../domain/tests/test-kind.ts'
import {
  draftScheduleProblems,
  shortestTest,
  testScheduleProblems,
} from '../../../domain/tests/test-schedule.ts'
import { holdCause, holdCauseNames, holdCauses } from '../../../domain/tests/hold-cause.ts'
import { templateKind } from '../../../domain/themes/template-kind.ts'
import {
  isSameTarget,
  targetKind,
  targetProblems,
  templateTarget,
  themeTarget,
} from '../../../domain/tests/test-target.ts'

const now = new Date('2026-11-21T12:00:00Z')
const at = (days: number) => new Date(now.getTime() + days * shortestTest)

t.test('start and end must be in the future and at least a day apart', async t => {
  const rows: [launch: number | null, end: number | null, fields: string[]][] = [
    [null, null, []],
    [1, null, []],
    [null, 1, []],
    [null, 0.999, ['automaticallyEndAt']],
    [2, 3, []],
    [2, 2.999, ['automaticallyEndAt']],
    [0, null, ['launchAt']],
    [-1, 3, ['launchAt']],
    [-1, 0.5, ['launchAt', 'automaticallyEndAt']],
    [null, 0, ['automaticallyEndAt']],
    [5, 4, ['automaticallyEndAt']],
  ]
  for (const [launch, end, fields] of rows)
    t.same(
      draftScheduleProblems(
        {
          launchAt: launch === null ? null : at(launch),
          automaticallyEndAt: end === null ? null : at(end),
        },
        now,
      ).map(each => each.field),
      fields,
      `${launch} to ${end}`,
    )
})

t.test('a started test keeps its start; a scheduled test needs a start', async t => {
  const before = { launchAt: at(-2), automaticallyEndAt: null }
  t.same(
    testScheduleProblems('Active', { ...before, automaticallyEndAt: at(0.1) }, before, now),
    [],
    'a running test may end soon',
  )
  t.match(
    testScheduleProblems('Active', { launchAt: at(1), automaticallyEndAt: null }, before, now),
    [{ field: 'launchAt' }],
  )
  t.match(testScheduleProblems('Paused', { ...before, automaticallyEndAt: at(0) }, before, now), [
    { field: 'automaticallyEndAt' },
  ])
  t.match(
    testScheduleProblems(
      'Scheduled',
      { launchAt: null, automaticallyEndAt: null },
      { launchAt: at(1), automaticallyEndAt: null },
      now,
    ),
    [{ field: 'launchAt' }],
  )
  t.match(
    testScheduleProblems(
      'Scheduled',
      { launchAt: at(2), automaticallyEndAt: at(2.5) },
      { launchAt: at(1), automaticallyEndAt: null },
      now,
    ),
    [{ field: 'automaticallyEndAt' }],
  )
})

t.test('each cause of a hold has words and a remedy', async t => {
  for (const name of holdCauseNames) {
    t.match(holdCauses[name].message, /\.$/, name)
    t.match(holdCauses[name].remedy, /\.$/, name)
    t.same(holdCause(name, 'Found this.'), {
      cause: name,
      message: 'Found this.',
      remedy: holdCauses[name].remedy,
    })
  }
})

t.test('a template is simple when its sections and order can be read', async t => {
  const rows: [string, 'json' | 'liquid', 'Simple' | 'Unsupported'][] = [
    ['{"sections":{"a":{"type":"x"}},"order":["a"]}', 'json', 'Simple'],
    ['/* made by the editor */\n{"sections":{},"order":[]}', 'json', 'Simple'],
    ['{"sections":{},"order":["a"]}', 'json', 'Unsupported'],
    ['{"sections":{}}', 'json', 'Unsupported'],
    ['{"sections":[],"order":[]}', 'json', 'Unsupported'],
    ['{"sections":{},"order":["constructor"]}', 'json', 'Unsupported'],
    ['null', 'json', 'Unsupported'],
    ['', 'json', 'Unsupported'],
    ['{{ page.title }}', 'liquid', 'Unsupported'],
  ]
  for (const [body, format, kind] of rows) t.equal(templateKind(format, body), kind, body)
})

t.test('the missing parts of the arms of each kind prevent the launch', async t => {
  const none = { control: null, variant: null, resourceIds: [] }
  for (const kind of testKindNames) {
    const wanted =
      targetKind(kind) === null || kind === 'UrlRedirect'
        ? []
        : kind === 'Theme' || kind === 'Template' || kind === 'PageContent'
          ? ['control', 'variant']
          : []
    t.same(
      targetProblems({ kind, ...none }).map(each => each.field),
      wanted,
      kind,
    )
  }
  const both = {
    control: templateTarget('page', ''),
    variant: templateTarget('page', 'ts-abcdef', true),
  }
  t.same(
    targetProblems({ kind: 'PageContent', ...both, resourceIds: [] }).map(each => each.field),
    ['resourceIds'],
  )
  t.same(targetProblems({ kind: 'PageContent', ...both, resourceIds: ['1'] }), [])
  t.same(
    targetProblems({
      kind: 'PageContent',
      control: templateTarget('home', ''),
      variant: templateTarget('home', 'x'),
      resourceIds: [],
    }),
    [],
    'a shop has only one home page',
  )
  t.ok(isSameTarget(templateTarget('page', 'a', true), templateTarget('page', 'a')))
  t.notOk(
    isSameTarget(templateTarget('page', 'a'), templateTarget('product', 'a')) ||
      isSameTarget(themeTarget('1'), themeTarget('2')),
  )
  t.same(
    kindCapability,
    {
      UrlRedirect: 'UrlRedirectTests',
      PageElement: 'DomTesting',
      Api: 'ApiTesting',
      Price: 'PriceTesting',
    },
    'requirement 16.13',
  )
})
