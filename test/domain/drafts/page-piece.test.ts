import t from 'tap'
import { brandPalette } from '../../../domain/brand/brand-palette.ts'
import type { BrandStyle } from '../../../domain/brand/brand-style.ts'
import { isComplete } from '../../../domain/drafts/change-kind.ts'
import {
  pieceKinds,
  pieceLook,
  pieceMarkup,
  pieces,
  readPiece,
  startOf,
  type PieceParts,
} from '../../../domain/drafts/page-piece.ts'
import { elementProblem } from '../../../domain/drafts/safe-html.ts'
import { markupReader } from '../../../engine/drafts/markup.ts'

const font = { family: 'Lora', weight: 600, style: 'normal' as const }
const colours = {
  background: '#fffaf5',
  heading: '#221100',
  text: '#443322',
  border: null,
  buttonBackground: '#7a4a2b',
  buttonText: '#ffffff',
  buttonBorder: null,
}
const pattern = {
  kind: 'Content' as const,
  colours,
  shape: 'SemiRound' as const,
  buttonStyle: 'Filled' as const,
  buttonSize: 'large' as const,
}
const style: BrandStyle = {
  id: 'b',
  title: font,
  body: { ...font, family: "O'Neil; Sans", weight: 400 },
  label: font,
  buttonText: font,
  updatedAt: null,
  patterns: [
    pattern,
    {
      ...pattern,
      kind: 'Highlight',
      colours: { ...colours, background: '#0b3d4f', text: '#eeeeee' },
    },
  ],
}
const hostile: PieceParts = {
  text: '<script>alert(1)</script> & "5 > 3"',
  link: '/a?b=1&c="x"',
  image: 'https://x.example/a"b.png',
  alt: 'A <mug> & "more"',
}

t.test('every piece is read back unchanged, with a brand style and without one', async t => {
  for (const look of [null, pieceLook(style)])
    for (const kind of pieceKinds)
      for (const parts of [{ ...startOf(kind), image: '/a.png' }, hostile]) {
        const own = Object.fromEntries(
          Object.entries(parts).map(([name, value]) => [
            name,
            (pieces[kind].fields as readonly string[]).includes(name) ? value : '',
          ]),
        ) as PieceParts
        const html = pieceMarkup(kind, own, look)
        t.same(readPiece(html), { kind, parts: own }, html)
        t.same(
          markupReader()(html)!.map(elementProblem).filter(Boolean),
          [],
          'the markup may be saved',
        )
        t.equal(
          markupReader()(html)!.some(({ tag }) => tag === 'script'),
          false,
        )
      }
})

t.test('a piece has the shop’s brand style', async t => {
  const look = pieceLook(style)
  t.match(
    pieceMarkup('button', startOf('button'), look),
    /font-family:'Lora',serif;font-weight:600;color:#ffffff;text-decoration:none;padding:15px 28px;border-radius:8px;background:#7a4a2b/,
  )
  t.match(
    pieceMarkup('bar', startOf('bar'), look),
    /font-family:'ONeil Sans',sans-serif;font-weight:400;background:#0b3d4f;color:#eeeeee/,
  )
  t.match(
    pieceMarkup('button', startOf('button'), null),
    /border:1px solid currentColor;color:inherit/,
  )
  t.same([pieceLook(null), pieceLook({ ...style, patterns: [] })], [null, null])
})

t.test('other markup is not read as a piece', async t => {
  const button = pieceMarkup('button', startOf('button'), null)
  for (const html of [
    '',
    '<p>Hi</p>',
    '<p data-twinshelf="else">Hi</p>',
    button.replace('Shop now', '<b>Shop</b> now'),
    `${button}<p>more</p>`,
    button.replace(' href', ' title="x" href'),
  ])
    t.equal(readPiece(html), null, html)
})

t.test('a picture without an address is not complete', async t => {
  const insert = { selector: 'h1', kind: 'insertAfter' as const, name: '' }
  t.equal(isComplete({ ...insert, value: pieceMarkup('picture', startOf('picture'), null) }), false)
  t.equal(
    isComplete({
      ...insert,
      value: pieceMarkup('picture', { ...startOf('picture'), image: '/a.png' }, null),
    }),
    true,
  )
})

t.test('the palette has at most ten colours, and none without a brand style', async t => {
  const many = {
    ...style,
    patterns: Array.from({ length: 5 }, (_, i) => ({
      ...pattern,
      colours: { ...colours, background: `#00000${i}`, heading: `#11111${i}`, text: `#22222${i}` },
    })),
  }
  t.equal(brandPalette(many).colours.length, 10)
  t.same(brandPalette(null), { colours: [], fonts: [] })
})

t.test('the palette has the shop’s colours and fonts, each once', async t => {
  t.same(brandPalette(style), {
    colours: [
      { value: '#fffaf5', label: 'Background' },
      { value: '#221100', label: 'Heading' },
      { value: '#443322', label: 'Text' },
      { value: '#7a4a2b', label: 'Button' },
      { value: '#ffffff', label: 'Button text' },
      { value: '#0b3d4f', label: 'Background' },
      { value: '#eeeeee', label: 'Text' },
    ],
    fonts: ['Lora', "O'Neil; Sans"],
  })
  t.same(brandPalette(null), { colours: [], fonts: [] })
})
