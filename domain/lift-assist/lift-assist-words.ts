import { formatCount, formatRate } from '../figures.ts'
import type { AssistKind, Finding, ShopFigures } from './lift-assist-rules.ts'
import type { TemplateType } from '../themes/template.ts'

const typeNames: Record<TemplateType, string> = {
  home: 'home page',
  product: 'product template',
  collection: 'collection template',
  page: 'page template',
  blog: 'blog template',
  article: 'article template',
  cart: 'cart',
  search: 'search page',
}
/**
 * A template's name within a sentence: "the default product template", "the product template
 * “story”", "the home page".
 */
export const templateLabel = (type: TemplateType, suffix: string): string =>
  suffix
    ? `the ${typeNames[type]} “${suffix}”`
    : ['home', 'cart', 'search'].includes(type)
      ? `the ${typeNames[type]}`
      : `the default ${typeNames[type]}`
export const pageLabel = (title: string): string => `the page “${title}”`

/**
 * The texts of a proposal for the merchant: the proposal, the figures behind it, and what a test
 * could try.
 */
export function assistWords(
  { kind, rate, otherRate, reach, target: { figures } }: Finding,
  label: string,
  shop: ShopFigures,
): { title: string; reason: string; idea: string } {
  const share = (value: number | null) => formatRate(value ?? 0, 1)
  const words: Record<AssistKind, () => { title: string; reason: string; idea: string }> = {
    bounce: () => ({
      title: `Keep visitors who arrive on ${label}`,
      reason: `${share(rate)} of ${formatCount(figures.entries)} visits that began on ${label} ended there; elsewhere it is ${share(otherRate)}.`,
      idea: 'A first screen that says what they will find here may keep more of them.',
    }),
    addToCart: () => ({
      title: `Get more into the cart on ${label}`,
      reason: `${share(rate)} of ${formatCount(figures.visitors)} visitors added to the cart on ${label}; on the shop’s other product pages it is ${share(otherRate)}.`,
      idea: 'See what those pages do better (price, pictures or button text), and try it here.',
    }),
    checkout: () => ({
      title: `Lead more shoppers from ${label} to the checkout`,
      reason: `Of ${formatCount(shop.added)} visitors who added to the cart, ${formatCount(shop.checkedOut)} (${share(rate)}) continued to the checkout.`,
      idea: 'A clearer next step, with delivery and returns explained beside it, may help more of them continue.',
    }),
    untested: () => ({
      title: `Test ${label} for the first time`,
      reason: `${share(reach)} of the shop’s visitors came to ${label}, ${formatCount(figures.visitors)} in ${formatCount(shop.days)} days, and no test has ever run there.`,
      idea: 'So many visitors see this page that a small change may be worth a lot.',
    }),
  }
  return words[kind]()
}

/** Why a shop with visitors has no proposals. */
export const nothingFound = ({ visitors, days }: ShopFigures): string =>
  `${formatCount(visitors)} visitors in ${formatCount(days)} full ${days === 1 ? 'day' : 'days'} were not enough to propose a test: no page that is not being tested had enough of them for a test to find a change within four weeks.`
export const nothingYet =
  'There is not enough data yet. We need one full day of visits; the first proposals appear after that.'
