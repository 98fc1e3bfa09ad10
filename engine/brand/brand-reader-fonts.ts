import { type Font, type FontEntry, fontLimit } from '../../domain/brand/brand-style.ts'
import type { DeclaredFace } from './brand-reader-pages.ts'
import type { Look, PageTree } from './brand-reader-tree.ts'

/** The font an element asks for first. */
export const fontOf = (look: Look): Font => ({
  family: look.family || 'serif',
  weight: look.fontWeight,
  style: look.fontStyle,
})

/** How many text elements of a page we read for their fonts, at most. */
const lookedAt = 800

/** The fonts of a page's visible texts, each once. */
export function usedFonts(page: PageTree): Font[] {
  const fonts = page
    .find('text')
    .slice(0, lookedAt)
    .filter(({ isShown }) => isShown)
    .map(({ look }) => fontOf(look))
  return unique(fonts, keyOf)
}

/**
 * The fonts to choose from: every declared face, and the fonts in use that no stylesheet declares
 * (they come from the visitor's device). Sorted by name, so that reading twice gives the same list.
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

/**
 * Merges font lists; each font occurs once. If two lists contain a font, the entry of the earlier
 * list stays, with its source.
 */
export function mergeFonts(...lists: FontEntry[][]): FontEntry[] {
  return unique(lists.flat(), keyOf)
    .sort((a, b) => compare(a.family, b.family) || compare(a.style, b.style) || a.weight - b.weight)
    .slice(0, fontLimit)
}

// "100 900" is the weight range of a variable font. We list each hundred in it.
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
// Compares by code unit, so that the machine's locale does not change the order.
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function unique<T>(items: T[], key: (item: T) => string): T[] {
  const keys = new Set<string>()
  return items.filter(item => keys.size < keys.add(key(item)).size)
}
