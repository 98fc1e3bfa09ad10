import {
  billingWays,
  type Capabilities,
  copyWays,
  priceWays,
  redirectWays,
  scriptWays,
} from '../../domain/platform/capabilities.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { integer, text, type Fields } from '../forms.ts'

type Choice = { value: string; words: string }
type Field = {
  name: keyof Capabilities
  label: string
  hint: string
} & ({ choices: readonly Choice[] } | { most: number })

const choose = <T extends string>(values: readonly T[], words: Record<T, string>): Choice[] =>
  values.map(value => ({ value, words: words[value] }))
const yesNo = (yes: string, no: string): Choice[] => [
  { value: 'yes', words: yes },
  { value: 'no', words: no },
]

/**
 * The fields of the form, in their order. A field with `most` is a number, or empty for no limit.
 */
export const abilityFields: readonly Field[] = [
  {
    name: 'themeWrites',
    label: 'Writing to themes',
    hint: 'Files of themes, and which theme is published.',
    choices: yesNo('Apps may write', 'Only the merchant writes'),
  },
  {
    name: 'copies',
    label: 'Copies of themes and templates',
    hint: 'Who makes a template that the theme does not have yet.',
    choices: choose(copyWays, { ours: 'Apps make them', merchant: 'The merchant makes them' }),
  },
  {
    name: 'wholeWrites',
    label: 'Writes of several files, templates or prices',
    hint: 'Whether they are done wholly or not at all.',
    choices: yesNo('All or nothing', 'A part may be done'),
  },
  {
    name: 'scriptWay',
    label: 'Script of the app',
    hint: 'A switch is in each theme, and off at first.',
    choices: choose(scriptWays, {
      uploaded: 'In every page at once',
      switch: 'In pages of themes that have it switched on',
    }),
  },
  {
    name: 'priceWay',
    label: 'Prices of apps',
    hint: 'What carts charge for the price rules of an app.',
    choices: choose(priceWays, {
      transform: 'Any price',
      discount: 'Only prices below the product’s own',
      none: 'No price rules',
    }),
  },
  {
    name: 'redirects',
    label: 'Redirects',
    hint: 'On which paths the shop’s own redirects work.',
    choices: choose(redirectWays, {
      always: 'On every path',
      missingPages: 'On paths without a page',
      none: 'Nowhere',
    }),
  },
  {
    name: 'orderDays',
    label: 'Days of orders',
    hint: 'How far back apps can read orders. Empty: all of them.',
    most: 3_650,
  },
  {
    name: 'expressAttributes',
    label: 'Express checkout',
    hint: 'Whether its orders have the attributes of the cart.',
    choices: yesNo('Orders have them', 'Orders lack them'),
  },
  {
    name: 'unsignedReads',
    label: 'Pages a minute',
    hint: 'For a program without the merchant’s signature. Empty: any number.',
    most: 10_000,
  },
  {
    name: 'nativeExperiments',
    label: 'The shop’s own experiments',
    hint: 'Whether the merchant can start them here, under Themes.',
    choices: yesNo('Offered', 'Not offered'),
  },
  {
    name: 'billing',
    label: 'Plans of apps',
    hint: 'Who keeps the plans that a merchant can pay for.',
    choices: choose(billingWays, { ours: 'The app', platform: 'The shop’s platform' }),
  },
]

/** The values of the form for what the shop can do now. */
export const formValues = (now: Capabilities): Record<string, string> =>
  Object.fromEntries(
    Object.entries(now).map(([name, value]) => [
      name,
      value === null ? '' : typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value),
    ]),
  )

/** Reads the form. Throws HttpProblem 422 that names the first field that is wrong. */
export function capabilitiesFrom(fields: Fields): Capabilities {
  const read = (field: Field): unknown => {
    const given = text(fields[field.name])
    if ('most' in field) {
      if (given === '') return null
      const number = integer(given)
      if (!(number >= 1 && number <= field.most))
        throw wrong(field, `Enter a whole number from 1 to ${field.most}, or nothing.`)
      return number
    }
    if (!field.choices.some(({ value }) => value === given))
      throw wrong(field, `Choose one of: ${field.choices.map(({ words }) => words).join('; ')}.`)
    return given === 'yes' || given === 'no' ? given === 'yes' : given
  }
  return Object.fromEntries(
    abilityFields.map(field => [field.name, read(field)]),
  ) as unknown as Capabilities
}

const wrong = ({ name, label }: Field, message: string) =>
  new HttpProblem(422, `${label}: ${message}`, [{ field: name, message }])
