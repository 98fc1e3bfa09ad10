import { countryCodes, countryName } from '../countries.ts'
import { channelLabels } from '../events/channel.ts'

/** What is known of a visit when an audience is asked about it. Addresses are kept without their query, except for `utm_…`. */
export type VisitFacts = {
  channel: string | undefined
  landing: string
  /** What `landing` asks. */
  query: URLSearchParams
  referrer: string
  country: string | null
}
/** What a value is chosen from, where all values are known beforehand. */
export type ConditionChoice = { value: string; label: string }

/** What a condition can be about. */
type Row = {
  /** What audiences are stored and published with: it never changes, and says nothing about where the row stands. */
  number: number
  name: string
  label: string
  /** An example of a value that is written. */
  hint?: string
  choices?: readonly ConditionChoice[]
  /** The value in a visit that the engine keeps. A shopper's script reads the same by its own, shorter code: `audienceRule` in storefront/entry.ts, which the compiler holds to have every number. */
  read: (visit: VisitFacts) => string | null | undefined
  /** Part of the script (domain/script/script-part.ts) that only such a condition needs. */
  part?: 'channel'
}

/** The condition fields (requirements 8.19), in the order in which merchants are offered them. A new field is one row, and its reading in storefront/entry.ts. */
const rows = [
  {
    number: 0,
    name: 'Channel',
    label: 'Channel',
    hint: 'Email',
    choices: Object.values(channelLabels).map(label => ({ value: label, label })),
    read: ({ channel }) => channel,
    // Telling channels apart takes lists of sites.
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
