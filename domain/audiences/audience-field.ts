import { countryCodes, countryName } from '../countries.ts'
import { channelLabels } from '../events/channel.ts'

/**
 * What the engine knows about a visit when it checks an audience. Addresses are kept without their
 * query, except `utm_…`.
 */
export type VisitFacts = {
  channel: string | undefined
  landing: string
  /** The query of `landing`. */
  query: URLSearchParams
  referrer: string
  country: string | null
}
/** One choice of a field whose values are all known in advance. */
export type ConditionChoice = { value: string; label: string }

/** A field that a condition can be about. */
type Row = {
  /**
   * Audiences are stored and published with this number, so it must never change. It is independent
   * of the row's position.
   */
  number: number
  name: string
  label: string
  /** An example of a value that a merchant types. */
  hint?: string
  choices?: readonly ConditionChoice[]
  /**
   * Reads the value from a visit that the engine keeps. The shopper's script reads the same values
   * by shorter code, `audienceRule` in storefront/entry.ts; the compiler checks that it has every
   * number.
   */
  read: (visit: VisitFacts) => string | null | undefined
  /**
   * The part of the script (domain/script/script-part.ts) that only conditions on this field need.
   */
  part?: 'channel'
}

/**
 * The condition fields (requirements 8.19), in the order in which merchants see them. A new field
 * needs one row here and its reading in storefront/entry.ts.
 */
const rows = [
  {
    number: 0,
    name: 'Channel',
    label: 'Channel',
    hint: 'Email',
    choices: Object.values(channelLabels).map(label => ({ value: label, label })),
    read: ({ channel }) => channel,
    // The lists of sites that tell channels apart are in this part.
    part: 'channel',
  },
  {
    number: 1,
    name: 'UtmSource',
    label: 'UTM source',
    read: ({ query }) => query.get('utm_source'),
  },
  {
    number: 2,
    name: 'UtmMedium',
    label: 'UTM medium',
    read: ({ query }) => query.get('utm_medium'),
  },
  {
    number: 3,
    name: 'UtmCampaign',
    label: 'UTM campaign',
    read: ({ query }) => query.get('utm_campaign'),
  },
  {
    number: 4,
    name: 'UtmContent',
    label: 'UTM content',
    read: ({ query }) => query.get('utm_content'),
  },
  {
    number: 5,
    name: 'Url',
    label: 'First page',
    hint: '/collections/sale',
    read: ({ landing }) => landing,
  },
  {
    number: 6,
    name: 'Referer',
    label: 'Referrer',
    hint: 'https://www.example.com/',
    read: ({ referrer }) => referrer,
  },
  {
    number: 7,
    name: 'Country',
    label: 'Country',
    hint: 'DE',
    choices: countryCodes
      .map(value => ({ value, label: countryName(value) }))
      .sort((a, b) => a.label.localeCompare(b.label, 'en')),
    read: ({ country }) => country,
  },
] as const satisfies readonly Row[]

export type FieldNumber = (typeof rows)[number]['number']
export type ConditionField = (typeof rows)[number]['name']
export type AudienceField = Row & { number: FieldNumber; name: ConditionField }
export const audienceFields: readonly AudienceField[] = rows
export const fieldNamed = (name: ConditionField): AudienceField =>
  audienceFields.find(field => field.name === name)!
