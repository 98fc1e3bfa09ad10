import t from 'tap'
import {
  contrastRatio,
  contrastWarning,
  hexOf,
  neededContrast,
  over,
  parseColour,
} from '../../../domain/colour.ts'
import {
  type StyleField,
  shownStyle,
  styleFields,
  styleNames,
  styleWords,
  typedStyle,
} from '../../../domain/drafts/element-style.ts'

const field = (property: string): StyleField =>
  Object.values(styleFields)
    .flat()
    .find(each => each.property === property)!

t.test('colours are read as browsers compute them and as people type them', async t => {
  const rows: [string, string | null, number?][] = [
    ['rgb(122, 74, 43)', '#7a4a2b', 1],
    ['rgba(0, 0, 0, 0)', '#000000', 0],
    ['rgb(0 128 255 / 50%)', '#0080ff', 0.5],
    ['color(srgb 1 0.5 0)', '#ff8000', 1],
    ['#FFF', '#ffffff', 1],
    ['#7a4a2b80', '#7a4a2b', 128 / 255],
    ['transparent', '#000000', 0],
    ['rgb(300, -1, 0)', '#ff0000', 1],
    ['oklch(0.5 0.1 30)', null],
    ['red', null],
    ['#12345', null],
    ['rgb(1, 2)', null],
    ['', null],
  ]
  for (const [text, hex, a] of rows) {
    const colour = parseColour(text)
    t.same([colour && hexOf(colour), colour?.a], [hex, hex === null ? undefined : a], text)
  }
})

t.test('contrast follows WCAG: its examples, and transparent text', async t => {
  const ratio = (one: string, other: string) =>
    Math.round(contrastRatio(parseColour(one)!, parseColour(other)!) * 100) / 100
  t.same(
    [
      ratio('#000', '#fff'),
      ratio('#fff', '#fff'),
      ratio('#777777', '#ffffff'),
      ratio('#767676', '#ffffff'),
    ],
    [21, 1, 4.48, 4.54],
  )
  t.equal(hexOf(over(parseColour('rgb(0 0 0 / 50%)')!, parseColour('#fff')!)), '#808080')
  t.same(
    [
      neededContrast(16, 400),
      neededContrast(24, 400),
      neededContrast(18.66, 700),
      neededContrast(18.66, 600),
    ],
    [4.5, 3, 3, 4.5],
  )
  t.equal(
    contrastWarning('#777777', '#ffffff', 16, 400),
    'Contrast is 4.4:1. Text of this size needs at least 4.5:1 to be easy to read.',
  )
  for (const said of [
    contrastWarning('#777777', '#ffffff', 24, 400),
    contrastWarning('#000', '', 16, 400),
    contrastWarning('#767676', '#fff', 16, 400),
  ])
    t.equal(said, null)
})

t.test('a field shows the element’s style in the field’s own words', async t => {
  const rows: [string, string, string, string][] = [
    ['color', 'rgb(122, 74, 43)', '#7a4a2b', '#7a4a2b'],
    ['background-color', 'rgba(0, 0, 0, 0)', 'transparent', 'none'],
    ['font-size', '16px', '16', '16 px'],
    ['border-radius', '50%', '50%', '50%'],
    ['margin-top', '-4.5px', '-4.5', '-4.5 px'],
    ['font-family', '"Lora", Georgia, serif', 'Lora', 'Lora'],
    ['font-weight', '700', '700', 'Bold'],
    ['font-weight', '650', '650', '650'],
    ['text-align', 'start', 'left', 'Left'],
    ['border-style', 'none', 'none', 'None'],
    ['color', '#7a4a2b !important', '#7a4a2b', '#7a4a2b'],
    ['color', '', '', 'not known'],
  ]
  for (const [property, css, shown, words] of rows) {
    t.equal(shownStyle(field(property), css), shown, `${property}: ${css}`)
    t.equal(styleWords(field(property), shown), words)
  }
})

t.test('typed text becomes CSS or a problem', async t => {
  const rows: [string, string, string | null, string?][] = [
    ['font-size', '18', '18px'],
    ['font-size', ' 1.5rem ', '1.5rem'],
    ['font-size', 'big', null],
    ['padding-left', '-1', null],
    ['margin-left', '-8', '-8px'],
    ['font-size', '3000', null],
    ['color', '#ABCDEF', '#abcdef'],
    ['color', 'abcdef', '#abcdef'],
    ['color', 'transparent', 'transparent'],
    ['color', 'reddish', null],
    ['font-weight', '700', '700'],
    ['font-weight', 'heavy', null],
    ['font-family', 'Lora', '"Lora", serif', '"Old", serif'],
    ['font-family', 'serif', 'serif'],
    ['font-family', 'A"; } body { display: none', '"A  body  display: none", sans-serif'],
    ['font-family', '', null],
  ]
  for (const [property, text, css, standing] of rows) {
    const typed = typedStyle(field(property), text, standing)
    t.equal(typed.css, css, `${property}: ${text}`)
    t.equal(typed.problem === null, css !== null)
    if (typed.css !== null && property !== 'font-family')
      t.equal(
        typedStyle(field(property), shownStyle(field(property), typed.css)).css,
        typed.css,
        'the field shows the typed style again',
      )
  }
  t.match(typedStyle(field('font-size'), 'big').problem, /number of pixels/)
})

t.test('every control reads a property that the page sends', async t => {
  for (const { read } of Object.values(styleFields).flat()) t.ok(styleNames.includes(read))
})
