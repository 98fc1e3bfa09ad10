import { hexOf, over, parseColour, type Colour } from '../../domain/colour.ts'
import { type ElementStyles, styleNames } from '../../domain/drafts/element-style.ts'
import { fontsLimit, styleLimit } from '../../domain/drafts/picker-message.ts'
import { parentOf } from './picker-document.ts'

/** What the browser computed for each property that the editor has a control for. */
export function stylesOf(element: Element): ElementStyles {
  const computed = getComputedStyle(element)
  const values = styleNames.map(name => {
    const value = computed.getPropertyValue(name)
    return [
      name,
      (name.endsWith('color') ? plainColour(value) : value).slice(0, styleLimit),
    ] as const
  })
  return Object.fromEntries(values) as ElementStyles
}

/**
 * The background colour behind an element, as "#7a4a2b"; '' when a picture is behind it or the
 * colour is not known.
 */
export function groundOf(element: Element): string {
  const layers: Colour[] = []
  for (let above = parentOf(element); above; above = parentOf(above)) {
    const { backgroundColor, backgroundImage } = getComputedStyle(above)
    if (backgroundImage !== 'none') return ''
    const colour = parseColour(plainColour(backgroundColor))
    if (!colour) return ''
    layers.push(colour)
    if (colour.a === 1) break
  }
  // A page without a colour of its own is white.
  return hexOf(
    layers.reduceRight((back, front) => over(front, back), { r: 255, g: 255, b: 255, a: 1 }),
  )
}

/**
 * Converts a colour to rgba(…). Browsers return some colours in the notation of the stylesheet, for
 * example oklch(…), so the colour is painted on a canvas and read back.
 */
function plainColour(value: string): string {
  if (parseColour(value)) return value
  const canvas = document.createElement('canvas').getContext('2d')
  if (!canvas) return value
  canvas.fillStyle = value
  canvas.fillRect(0, 0, 1, 1)
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data
  return `rgba(${r}, ${g}, ${b}, ${a! / 255})`
}

/** Font families that the page's stylesheets load. */
export const fontsOf = (): string[] =>
  [
    ...new Set(
      [...document.fonts].map(({ family }) => family.replace(/^["']|["']$/g, '').slice(0, 100)),
    ),
  ].slice(0, fontsLimit)
