import t from 'tap'
import type { BrandStyle, FontEntry, Pattern } from '../../../domain/brand/brand-style.ts'
import {
  fontKey,
  isPatternName,
  parseFonts,
  parsePattern,
  patternFormOf,
  patternNames,
  typedPattern,
} from '../../../domain/brand/brand-style-form.ts'

const colours = {
  background: '#fbf8f3',
  heading: '#2d2620',
  text: '#51483f',
  border: null,
  buttonBackground: '#7a4a2b',
  buttonText: '#ffffff',
  buttonBorder: null,
}
const filled: Pattern = {
  kind: 'Content',
  shape: 'SemiRound',
  buttonStyle: 'Filled',
  buttonSize: 'medium',
  colours,
}
const posted = {
  shape: 'SemiRound',
  buttonStyle: 'Filled',
  buttonSize: 'medium',
  ...colours,
  border: '#000000',
  buttonBorder: '#000000',
  'without.border': 'on',
  'without.buttonBorder': 'on',
}

t.test('patterns are named by their kind, and the second of a kind gets a number', async t => {
  t.same(
    patternNames([
      { kind: 'Content' },
      { kind: 'Content' },
      { kind: 'Product' },
      { kind: 'Content' },
    ]),
    ['Content', 'Content-2', 'Product', 'Content-3'],
  )
  for (const name of ['Product', 'Unknown', 'Highlight-2', 'Content-12'])
    t.ok(isPatternName(name), name)
  for (const name of [
    '',
    'product',
    'Product-1',
    'Product-0',
    'Content-13',
    'Product-',
    'constructor',
    'Product/2',
  ])
    t.notOk(isPatternName(name), name)
})

t.test('the form of a pattern reads back as the same pattern', async t => {
  for (const pattern of [
    filled,
    {
      ...filled,
      buttonStyle: 'Outline',
      colours: { ...colours, border: '#cccccc', buttonBackground: null, buttonBorder: '#7a4a2b' },
    },
  ] as Pattern[]) {
    t.same(parsePattern(patternFormOf(pattern), 'Content'), { pattern, problems: [] })
  }
  t.same(parsePattern(typedPattern(posted), 'Content'), { pattern: filled, problems: [] })
  t.same(
    parsePattern(typedPattern({ ...posted, heading: ' #2D2620 ' }), 'Content').pattern?.colours
      .heading,
    '#2d2620',
  )
})

t.test('each problem names its field', async t => {
  for (const [over, field] of [
    [{ buttonSize: 'huge' }, 'buttonSize'],
    [{ buttonSize: undefined }, 'buttonSize'],
    [{ buttonSize: ['large', 'small'] }, 'buttonSize'],
    [{ shape: 'Square' }, 'shape'],
    [{ shape: 'constructor' }, 'shape'],
    [{ buttonStyle: '' }, 'buttonStyle'],
    [{ heading: 'red' }, 'heading'],
    [{ heading: '#fff' }, 'heading'],
    [{ text: undefined }, 'text'],
    [{ background: '#12345g' }, 'background'],
    [{ 'without.border': undefined, border: '' }, 'border'],
    [{ 'without.heading': 'on', heading: '' }, 'heading'],
    [{ 'without.buttonBackground': 'on' }, 'buttonBackground'],
    [{ buttonStyle: 'Text' }, 'buttonBackground'],
    [{ buttonStyle: 'Outline', 'without.buttonBackground': 'on' }, 'buttonBorder'],
  ] as const) {
    const { pattern, problems } = parsePattern(
      typedPattern({ ...posted, ...over } as Parameters<typeof typedPattern>[0]),
      'Content',
    )
    t.equal(pattern, null, field)
    t.same(
      problems.map(problem => problem.field),
      [field],
      JSON.stringify(over),
    )
  }
})

t.test('a font must be in the list or be the current font', async t => {
  const georgia = { family: 'Georgia', weight: 400, style: 'normal' } as const,
    inter = { family: 'Inter', weight: 500, style: 'normal' } as const
  const current: Pick<BrandStyle, 'title' | 'body' | 'label' | 'buttonText'> = {
    title: georgia,
    body: georgia,
    label: georgia,
    buttonText: georgia,
  }
  const entries: FontEntry[] = [{ ...inter, source: 'system', stylesheet: null }]
  const all = {
    title: fontKey(inter),
    body: fontKey(georgia),
    label: fontKey(georgia),
    buttonText: fontKey(inter),
  }
  t.same(parseFonts(all, current, entries), {
    fonts: { title: inter, body: georgia, label: georgia, buttonText: inter },
    problems: [],
  })
  for (const label of [undefined, '', 'Inter', 'Inter|500|italic', ['x']])
    t.match(parseFonts({ ...all, label }, current, entries), {
      fonts: null,
      problems: [{ field: 'label' }],
    })
})
