import { type Font, type FontEntry, fontLimit } from '../../domain/brand/brand-style.ts'
import type { DeclaredFace } from './brand-reader-pages.ts'
import type { Look, PageTree } from './brand-reader-tree.ts'

/** The font an element asks for first. */
export const fontOf = (look: Look): Font => ({
  family: look.family || 'serif',
  weight: look.fontWeight,
  style: look.fontStyle,
})

/** Elements of a page that are looked at for their fonts. */
const lookedAt = 800

/** Fonts that a page's texts are set in, hidden ones left out. */
export function usedFonts(page: PageTree): Font[] {
  const fonts = page
    .find('text')
    .slice(0, lookedAt)
    .filter(({ isShown }) => isShown)
    .map(({ look }) => fontOf(look))
  return unique(fonts, keyOf)
}

/**
 * Fonts to choose from: every declared face, and those in use that nobody declares, which are the visitor's device's.
 * In the order of their names, so that reading twice gives the same.
 */
export function availableFonts(faces: DeclaredFace[], used: Font[]): FontEntry[] {
  const declared = faces.flatMap(({ family, style, weight, source, stylesheet }) =>
    weightsOf(weight).map((each): FontEntry => ({
      family: family.slice(0, 100),
      style: style.startsWith('italic')
        ? 'italic'
        : style.startsWith('oblique')
          ? 'oblique'
          : 'normal',
      weight: each,
      source,
      stylesheet: stylesheet.slice(0, 2048),
    })),
  )
  const families = new Set(declared.map(entry => entry.family.toLowerCase()))
  const system = used
    .filter(font => !families.has(font.family.toLowerCase()))
    .map((font): FontEntry => ({ ...font, source: 'system', stylesheet: null }))
  return mergeFonts(declared, system)
}

/** Several lists as one, each font once; where two know it, the earlier list tells where it is from. */
export function mergeFonts(...lists: FontEntry[][]): FontEntry[] {
  return unique(lists.flat(), keyOf)
    .sort((a, b) => compare(a.family, b.family) || compare(a.style, b.style) || a.weight - b.weight)
    .slice(0, fontLimit)
}

// "100 900" is a variable font: its hundreds stand for all between.
function weightsOf(text: string): number[] {
  const [least = 400, most = least] = text
    .trim()
    .split(/\s+/)
    .map(part => (part === 'bold' ? 700 : part === 'normal' ? 400 : Math.round(Number(part))))
    .filter(weight => weight >= 1 && weight <= 1000)
  return least === most
    ? [least]
    : [100, 200, 300, 400, 500, 600, 700, 800, 900].filter(
        weight => weight >= least && weight <= most,
      )
}

const keyOf = ({ family, style, weight }: Font): string =>
  `${family.toLowerCase()}|${style}|${weight}`
// By code unit: no locale of the machine may change the order.
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function unique<T>(items: T[], key: (item: T) => string): T[] {
  const keys = new Set<string>()
  return items.filter(item => keys.size < keys.add(key(item)).size)
}
