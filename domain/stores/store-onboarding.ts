/** Key → display name, in the order of the form. */
export const industries = {
  apparel: 'Apparel and accessories',
  shoes: 'Shoes',
  jewelry: 'Jewelry and watches',
  beauty: 'Beauty and cosmetics',
  health: 'Health and wellness',
  supplements: 'Supplements and nutrition',
  food: 'Food',
  drinks: 'Coffee, tea and drinks',
  alcohol: 'Wine, beer and spirits',
  home: 'Home and garden',
  furniture: 'Furniture',
  kitchen: 'Kitchen and tableware',
  electronics: 'Electronics',
  software: 'Software and digital goods',
  sports: 'Sports and outdoors',
  cycling: 'Cycling and mobility',
  automotive: 'Automotive parts',
  pets: 'Pet supplies',
  baby: 'Baby and children',
  toys: 'Toys and games',
  books: 'Books, music and film',
  arts: 'Arts and crafts',
  gifts: 'Gifts and occasions',
  office: 'Office and stationery',
  tools: 'Tools and hardware',
  industrial: 'Industrial and business supplies',
  other: 'Something else',
} as const
export type Industry = keyof typeof industries

export const teamSizes = {
  '1': 'Just me',
  '2-5': '2–5',
  '6-20': '6–20',
  '21-50': '21–50',
  '51+': 'More than 50',
} as const

export const testingExperiences = {
  none: 'I have never run a test',
  some: 'I have run a few',
  regular: 'I test regularly',
  expert: 'Testing is my job',
} as const

/** Where the merchant heard of the product. */
export const sources = {
  'app-store': 'The platform’s app store',
  search: 'A search engine',
  recommendation: 'Somebody recommended it',
  agency: 'Our agency',
  social: 'Social media',
  article: 'An article, podcast or video',
  event: 'An event',
  other: 'Somewhere else',
} as const

export const keysOf = <T extends object>(choices: T): (keyof T)[] =>
  Object.keys(choices) as (keyof T)[]
