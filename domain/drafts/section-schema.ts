import type { JsonScalar } from '../json-text.ts'

/**
 * The kind of field that edits a setting. `other`: a list or object, which only the shop's own
 * theme editor can change.
 */
export const settingKinds = [
  'text',
  'longText',
  'number',
  'yesNo',
  'picture',
  'choice',
  'link',
  'page',
  'product',
  'collection',
  'colour',
  'other',
] as const
export type SettingKind = (typeof settingKinds)[number]
export type SettingChoice = { value: string; label: string }
/**
 * What a section's file says about one setting. When `kind` is null, it is guessed from the value
 * (`kindOfValue`).
 */
export type SettingSchema = {
  id: string
  label: string
  kind: SettingKind | null
  choices: SettingChoice[]
  byDefault: JsonScalar | undefined
}
export type SectionSchema = {
  name: string | null
  settings: SettingSchema[]
  blocks: ReadonlyMap<string, { name: string | null; settings: SettingSchema[] }>
}

/** The platform's names of field types. A type that is not listed gets the kind of its value. */
const kinds: Record<string, SettingKind> = {
  textarea: 'longText',
  richtext: 'longText',
  html: 'longText',
  liquid: 'longText',
  number: 'number',
  range: 'number',
  checkbox: 'yesNo',
  image_picker: 'picture',
  select: 'choice',
  radio: 'choice',
  url: 'link',
  page: 'page',
  product: 'product',
  collection: 'collection',
  color: 'colour',
}
/** Kinds with free text as their value. */
export const textKinds: readonly SettingKind[] = [
  'text',
  'longText',
  'picture',
  'link',
  'page',
  'product',
  'collection',
  'colour',
]

/** Reads the `{% schema %}` of a section's file; null when there is none or it is not valid. */
export function sectionSchema(file: string): SectionSchema | null {
  const [, json] = /\{%-?\s*schema\s*-?%\}([\s\S]*?)\{%-?\s*endschema\s*-?%\}/.exec(file) ?? []
  if (json === undefined) return null
  try {
    const schema = fieldsOf(JSON.parse(json))
    const blocks = Array.isArray(schema['blocks']) ? schema['blocks'].map(fieldsOf) : []
    return {
      name: plainText(schema['name']),
      settings: settingsOf(schema['settings']),
      blocks: new Map(
        blocks.flatMap(block =>
          typeof block['type'] === 'string'
            ? [
                [
                  block['type'],
                  { name: plainText(block['name']), settings: settingsOf(block['settings']) },
                ] as const,
              ]
            : [],
        ),
      ),
    }
  } catch {
    return null
  }
}

/** "show_reviews" → "Show reviews" */
export function labelOf(name: string): string {
  const words = name.replace(/[-_]+/g, ' ').trim()
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : name
}

/** Plain words for abbreviations in the ids of themes. */
const words: Record<string, string> = {
  url: 'link',
  href: 'link',
  alt: 'picture description',
  img: 'picture',
  image: 'picture',
  photo: 'picture',
  cta: 'button',
  btn: 'button',
  bg: 'background',
  desc: 'description',
  color: 'colour',
  qty: 'quantity',
  num: 'number',
  nav: 'menu',
}
/** "button_url" → "Button link". Makes a label for a setting whose section gives none. */
export function settingLabel(id: string): string {
  const read = id
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[-_ ]+/)
    .filter(Boolean)
    .map(word => (Object.hasOwn(words, word) ? words[word]! : word))
    .join(' ')
  return labelOf(read.replace('picture picture', 'picture')) || id
}

/** Guesses the kind of a setting from its id and value, when the schema does not say it. */
export function kindOfValue(id: string, value: JsonScalar): SettingKind {
  if (typeof value === 'boolean') return 'yesNo'
  if (typeof value === 'number') return 'number'
  const text = value ?? ''
  if (
    /^(\/|https?:\/\/)\S+\.(svg|png|jpe?g|webp|gif|avif)(\?\S*)?$/i.test(text) ||
    /^(picture|image|photo|logo)s?($|_)/i.test(id)
  )
    return 'picture'
  if (/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)) return 'colour'
  if (/(^|_)(url|link|href)$/i.test(id) && !/\s/.test(text)) return 'link'
  const [, list] = /^(product|collection|page)$/i.exec(id) ?? []
  if (list && /^[\w-]*$/.test(text)) return list.toLowerCase() as SettingKind
  return text.length > 70 || /[\n<]/.test(text) || /^(text|body|description|content)$/i.test(id)
    ? 'longText'
    : 'text'
}

/**
 * Reads settings from a list of fields or from an object of defaults: platforms have either.
 */
function settingsOf(settings: unknown): SettingSchema[] {
  if (Array.isArray(settings))
    return settings.map(fieldsOf).flatMap(({ id, type, label, options, default: byDefault }) =>
      typeof id !== 'string'
        ? []
        : [
            {
              id,
              label: plainText(label) ?? settingLabel(id),
              kind: typeof type === 'string' ? (kinds[type] ?? null) : null,
              byDefault: scalar(byDefault),
              choices: Array.isArray(options)
                ? options.map(fieldsOf).flatMap(option =>
                    typeof option['value'] === 'string'
                      ? [
                          {
                            value: option['value'],
                            label: plainText(option['label']) ?? labelOf(option['value']),
                          },
                        ]
                      : [],
                  )
                : [],
            },
          ],
    )
  return Object.entries(fieldsOf(settings)).map(([id, byDefault]) => ({
    id,
    label: settingLabel(id),
    kind: null,
    choices: [],
    byDefault: scalar(byDefault),
  }))
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
const scalar = (value: unknown): JsonScalar | undefined =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)
    ? (value as JsonScalar)
    : undefined
/**
 * Returns the text, or null when it is empty or a key of the theme's translations
 * ("t:sections.hero.name").
 */
const plainText = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() && !value.startsWith('t:') ? value.trim() : null
