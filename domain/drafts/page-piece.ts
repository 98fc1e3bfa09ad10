import type { BrandStyle, Font, Pattern } from '../brand/brand-style.ts'

/**
 * The pieces that a merchant can insert into a page without writing markup, in the order of the
 * palette.
 */
export const pieces = {
  heading: { label: 'Heading', fields: ['text'] },
  text: { label: 'Text', fields: ['text'] },
  button: { label: 'Button', fields: ['text', 'link'] },
  badge: { label: 'Badge', fields: ['text'] },
  bar: { label: 'Announcement bar', fields: ['text', 'link'] },
  picture: { label: 'Picture', fields: ['image', 'alt'] },
  trust: { label: 'Trust row', fields: ['text'] },
} as const satisfies Record<string, { label: string; fields: readonly PieceField[] }>
export type PieceKind = keyof typeof pieces
export const pieceKinds = Object.keys(pieces) as PieceKind[]
export type PieceField = 'text' | 'link' | 'image' | 'alt'
/** In a trust row, `text` has one line for each point. */
export type PieceParts = Record<PieceField, string>

const starts: Record<PieceKind, Partial<PieceParts>> = {
  heading: { text: 'A new heading' },
  text: { text: 'A new line of text.' },
  button: { text: 'Shop now', link: '/' },
  badge: { text: 'New' },
  bar: { text: 'Say what is new in your shop' },
  picture: {},
  trust: { text: 'Secure checkout\nEasy returns\nFriendly support' },
}
export const startOf = (kind: PieceKind): PieceParts => ({
  text: '',
  link: '',
  image: '',
  alt: '',
  ...starts[kind],
})

/**
 * The parts of the brand style that a piece uses: the pattern of plain sections, the pattern of
 * highlighted ones, and the fonts.
 */
export type PieceLook = Pick<BrandStyle, 'title' | 'body' | 'label' | 'buttonText'> & {
  plain: Pattern
  loud: Pattern
}

export function pieceLook(style: BrandStyle | null): PieceLook | null {
  const plain = style?.patterns.find(({ kind }) => kind === 'Content') ?? style?.patterns[0]
  if (!style || !plain) return null
  const loud = style.patterns.find(({ kind }) => kind === 'Highlight') ?? plain
  return {
    title: style.title,
    body: style.body,
    label: style.label,
    buttonText: style.buttonText,
    plain,
    loud,
  }
}

const corners = { None: 0, SemiRound: 8, Round: 999 } as const
const paddings = { large: '15px 28px', medium: '11px 22px', small: '7px 14px' } as const

/**
 * Makes the markup of a piece. Without a brand style the page's own styles decide how headings and
 * texts look, and borders take the colour of the text around them.
 */
export function pieceMarkup(
  kind: PieceKind,
  { text, link, image, alt }: PieceParts,
  look: PieceLook | null,
): string {
  const words = escaped(text),
    root = (tag: string, css: Css, more = ''): string =>
      `<${tag} data-twinshelf="${kind}"${more}${styled(css)}>`
  const linked = (inner: string): string =>
    link ? `<a href="${escaped(link)}"${styled({ color: 'inherit' })}>${inner}</a>` : inner
  switch (kind) {
    case 'heading':
      return `${root('h2', { margin: '16px 0 8px', ...fontCss(look?.title), color: look?.plain.colours.heading })}${words}</h2>`
    case 'text':
      return `${root('p', { margin: '8px 0', ...fontCss(look?.body), color: look?.plain.colours.text })}${words}</p>`
    case 'button':
      return `${root('a', buttonCss(look), ` href="${escaped(link || '#')}"`)}${words}</a>`
    case 'badge': {
      const { buttonBackground, buttonText, heading, background } = look?.plain.colours ?? {}
      const colours = look
        ? {
            background: buttonBackground ?? heading,
            color: buttonBackground ? buttonText : background,
          }
        : { border: '1px solid currentColor' }
      return `${root('span', { display: 'inline-block', margin: '4px 0', padding: '3px 10px', 'border-radius': look ? `${Math.min(corners[look.plain.shape], 999)}px` : '999px', ...fontCss(look?.label), 'font-size': '13px', 'line-height': '1.5', ...colours })}${words}</span>`
    }
    case 'bar': {
      const { background, text: colour } = look?.loud.colours ?? {}
      const own = look
        ? { background, color: colour }
        : { 'border-top': '1px solid currentColor', 'border-bottom': '1px solid currentColor' }
      return `${root('div', { padding: '10px 16px', 'text-align': 'center', ...fontCss(look?.body), ...own })}${linked(words)}</div>`
    }
    case 'picture':
      return `${root('img', { display: 'block', 'max-width': '100%', height: 'auto', margin: '16px 0', 'border-radius': look ? `${Math.min(corners[look.plain.shape], 16)}px` : undefined }, ` src="${escaped(image)}" alt="${escaped(alt)}"`)}`
    case 'trust': {
      const points = text
        .split('\n')
        .map(line => line.trim())
        .filter(Boolean)
        .map(line => `<li>✓ ${escaped(line)}</li>`)
        .join('')
      return `${root('ul', { display: 'flex', 'flex-wrap': 'wrap', gap: '8px 20px', 'justify-content': 'center', margin: '16px 0', padding: '0', 'list-style': 'none', ...fontCss(look?.body), 'font-size': '14px', color: look?.plain.colours.text })}${points}</ul>`
    }
  }
}

/**
 * Reads a piece back from the markup of a change; null for markup that was written or edited by
 * hand.
 */
export function readPiece(html: string): { kind: PieceKind; parts: PieceParts } | null {
  const kind = /^<\w+ data-twinshelf="(\w+)"/.exec(html)?.[1]
  if (kind === undefined || !Object.hasOwn(pieces, kind)) return null
  const attribute = (name: string): string =>
    unescaped(new RegExp(`\\s${name}="([^"]*)"`).exec(html)?.[1] ?? '')
  const lines = html
    .split(/<[^>]*>/)
    .filter(Boolean)
    .map(unescaped)
  const found = kind as PieceKind
  const text =
    found === 'trust' ? lines.map(line => line.replace(/^✓ /, '')).join('\n') : lines.join('')
  const parts = { text, link: attribute('href'), image: attribute('src'), alt: attribute('alt') }
  return unstyled(pieceMarkup(found, parts, null)) === unstyled(html)
    ? { kind: found, parts }
    : null
}

type Css = Record<string, string | undefined>
const styled = (css: Css): string => {
  const rules = Object.entries(css)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}:${value}`)
  return rules.length > 0 ? ` style="${escaped(rules.join(';'))}"` : ''
}
const unstyled = (html: string): string => html.replace(/ style="[^"]*"/g, '')

const fontCss = (font: Font | undefined): Css =>
  font
    ? {
        'font-family': `'${font.family.replace(/['"\\;<>]/g, '')}',${/serif$|georgia|times|garamond|playfair|lora/i.test(font.family) && !/sans/i.test(font.family) ? 'serif' : 'sans-serif'}`,
        'font-weight': String(font.weight),
        'font-style': font.style === 'normal' ? undefined : font.style,
      }
    : {}

function buttonCss(look: PieceLook | null): Css {
  const box = { display: 'inline-block', margin: '8px 0', 'text-align': 'center' }
  if (!look)
    return {
      ...box,
      padding: '11px 22px',
      border: '1px solid currentColor',
      color: 'inherit',
      'text-decoration': 'none',
    }
  const { colours, buttonStyle, buttonSize, shape } = look.plain
  const isBox = buttonStyle === 'Filled' || buttonStyle === 'Outline'
  return {
    ...box,
    ...fontCss(look.buttonText),
    color: colours.buttonText,
    'text-decoration': buttonStyle === 'Underline' ? 'underline' : 'none',
    ...(isBox && {
      padding: paddings[buttonSize],
      'border-radius': `${corners[shape]}px`,
      background: colours.buttonBackground ?? undefined,
      border: colours.buttonBorder ? `1px solid ${colours.buttonBorder}` : undefined,
    }),
  }
}

const signs: [string, string][] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]
const escaped = (text: string): string =>
  signs.reduce((done, [sign, entity]) => done.replaceAll(sign, entity), text)
const unescaped = (text: string): string =>
  signs.toReversed().reduce((done, [sign, entity]) => done.replaceAll(entity, sign), text)
