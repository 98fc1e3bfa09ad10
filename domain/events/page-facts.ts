/**
 * What a shop's page tells the script about itself: attributes of the script's own tag, which the
 * platform fills in when it draws the page. All of it is public. Only types and names, because the
 * script imports this file.
 */
export type PageFacts = {
  /** `data-theme`: the theme that drew the page. */
  theme: string
  /** `data-template`: "product", "product.story". */
  template: string
  /**
   * `data-resource`: id of the product, collection, page, blog or article; '' when there is none.
   */
  resource: string
  /** `data-country`: the buyer's country, two letters; '' when unknown. */
  country: string
  /**
   * `data-rate`: how many minor units of the displayed currency one minor unit of the shop's own
   * currency is. 0 in a market that has a price list of its own: price tests leave it alone.
   */
  rate: number
  /**
   * `data-step` and `data-ending`: how prices are rounded in the displayed currency, in its minor
   * units (price-test.ts, `Market`).
   */
  step: number
  ending: number
  /** `data-digits`: decimal places of the displayed currency. */
  digits: number
}
export const noFacts: PageFacts = {
  theme: '',
  template: '',
  resource: '',
  country: '',
  rate: 1,
  step: 1,
  ending: 0,
  digits: 2,
}

/**
 * Query parameters that make the platform show an alternate template, or another theme. The
 * platform keeps the theme for the browser's session; an empty value returns to the live theme.
 */
export const viewParameter = 'view'
export const themeParameter = 'preview_theme_id'

/** A template's name, as pages give it: "product", "product.story". */
export const pageTemplate = (type: string, suffix: string): string =>
  suffix ? `${type}.${suffix}` : type
