import type { Page } from 'playwright'
import type { Cascade, PageElement } from '../../engine/brand-reader-cascade.ts'

/** What the brand reader and a browser can both say of an element. Colours as four numbers, lengths to a tenth of a pixel. */
export type PlainLook = { family: string; size: number; weight: number; style: string; colour: number[]; background: number[]; radius: number; padding: number[]; border: number; underlined: boolean; shown: boolean }

/** Of the body and all in it, as a browser computes it. */
export const looksIn = (page: Page, selector = 'body, body *'): Promise<PlainLook[]> => page.evaluate(wanted => [...document.querySelectorAll<HTMLElement>(wanted)].map(element => {
  const style = getComputedStyle(element)
  const round = (value: number) => Math.round(value * 10) / 10
  const colour = (text: string) => {
    const [r = 0, g = 0, b = 0, a = 1] = (text.match(/[\d.]+/g) ?? []).map(Number)
    // color(srgb …) counts from 0 to 1.
    return (text.startsWith('color(') ? [r * 255, g * 255, b * 255] : [r, g, b]).map(Math.round).concat(Math.round(a * 100) / 100)
  }
  const px = (text: string) => round(parseFloat(text) || 0)
  return {
    family: style.fontFamily.split(',')[0]!.replaceAll('"', ''), size: px(style.fontSize), weight: Number(style.fontWeight), style: style.fontStyle.split(' ')[0]!,
    colour: colour(style.color), background: colour(style.backgroundColor),
    radius: style.borderTopLeftRadius.includes('%') ? -1 : px(style.borderTopLeftRadius.split(' ')[0]!),
    padding: [px(style.paddingTop), px(style.paddingBottom)], border: Math.max(...['Top', 'Right', 'Bottom', 'Left'].map(side => px(style.getPropertyValue(`border-${side.toLowerCase()}-width`)))),
    underlined: style.textDecorationLine.includes('underline'), shown: style.display !== 'none' && style.visibility === 'visible' && !(style.position === 'absolute' && parseFloat(style.width) <= 1),
  }
}), selector)

/** The same, as the reader has it. */
export function sameLook(cascade: Cascade, element: PageElement): PlainLook {
  const look = cascade.look(element)
  const round = (value: number) => Math.round(value * 10) / 10
  const colour = ([r, g, b, a]: readonly number[]) => [Math.round(r!), Math.round(g!), Math.round(b!), Math.round(a! * 100) / 100]
  const isShare = look.radius(100) !== look.radius(200)
  return {
    family: look.families[0] ?? '', size: round(look.fontSize), weight: look.fontWeight, style: look.fontStyle, colour: colour(look.colour), background: colour(look.background),
    radius: isShare ? -1 : round(look.radius(0)), padding: [round(look.padding.top), round(look.padding.bottom)], border: round(look.border.width),
    underlined: look.isUnderlined, shown: !look.isHidden,
  }
}
