import type { BrandStyle, FontEntry, Pattern } from './brand-style.ts'

const families = ['Arial', 'Georgia', 'Helvetica', 'Times New Roman', 'Trebuchet MS', 'Verdana']
/** Fonts that nearly every device has. */
export const plainFonts: FontEntry[] = families.flatMap(family =>
  [400, 700].map((weight): FontEntry => ({
    family,
    style: 'normal',
    weight,
    source: 'system',
    stylesheet: null,
  })),
)

const pattern = (kind: Pattern['kind'], background: string): Pattern => ({
  kind,
  colours: {
    background,
    heading: '#1a1a1a',
    text: '#4a4a4a',
    border: null,
    buttonBackground: '#1a1a1a',
    buttonText: '#ffffff',
    buttonBorder: null,
  },
  shape: 'SemiRound',
  buttonStyle: 'Filled',
  buttonSize: 'medium',
})

/**
 * The brand style that a merchant starts from when we cannot read the shop: plain and legible.
 * Every part can be changed.
 */
export const plainBrandStyle: BrandStyle = {
  id: null,
  updatedAt: null,
  title: { family: 'Helvetica', weight: 700, style: 'normal' },
  body: { family: 'Helvetica', weight: 400, style: 'normal' },
  label: { family: 'Helvetica', weight: 400, style: 'normal' },
  buttonText: { family: 'Helvetica', weight: 700, style: 'normal' },
  patterns: [
    pattern('Content', '#ffffff'),
    pattern('Product', '#ffffff'),
    pattern('Highlight', '#f2f2f2'),
  ],
}
