import type { BrandStyle } from './brand-style.ts'
import { colourFields, colourNames, fontRoleNames } from './brand-style-form.ts'

/** The shop's own colours and fonts, each once. The style controls offer them first. */
export type BrandPalette = { colours: { value: string; label: string }[]; fonts: string[] }

const coloursAtMost = 10

export function brandPalette(style: BrandStyle | null): BrandPalette {
  const colours = new Map<string, string>()
  for (const pattern of style?.patterns ?? []) {
    for (const name of colourNames) {
      const value = pattern.colours[name]
      if (value && !colours.has(value)) colours.set(value, colourFields[name].label)
    }
  }
  return {
    colours: [...colours].slice(0, coloursAtMost).map(([value, label]) => ({ value, label })),
    fonts: style ? [...new Set(fontRoleNames.map(role => style[role].family))] : [],
  }
}
