/**
 * What a shop's page says of itself to the script: attributes of the script's own tag, which the platform fills in
 * where the page is drawn. All of it is public. Types and names alone (the script imports this).
 */
export type PageFacts = {
  /** `data-theme`: the theme that drew the page. */
  theme: string
  /** `data-template`: "product", "product.story". */
  template: string
  /** `data-resource`: id of the product, collection, page, blog or article; '' where there is none. */
  resource: string
  /** `data-country`: of the buyer, two letters; '' where it is not known. */
  country: string
  /** `data-rate`: minor units of the currency shown per minor unit of the shop's own. */
  rate: number
  /** `data-digits`: decimals of the currency shown. */
  digits: number
}
export const noFacts: PageFacts = {
  theme: '',
  template: '',
  resource: '',
  country: '',
  rate: 1,
  digits: 2,
}

/** Query parameters by which the platform shows an alternate template, or another theme (kept for the browser's session; empty: the live one again). */
export const viewParameter = 'view'
export const themeParameter = 'preview_theme_id'

/** A template's name as a page says it. */
export const pageTemplate = (type: string, suffix: string): string =>
  suffix ? `${type}.${suffix}` : type
