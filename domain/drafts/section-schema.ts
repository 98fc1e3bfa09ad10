import type { JsonScalar } from '../json-text.ts'

/** What kind of field a setting is edited in. `other`: a list or object, which only the shop's own theme editor changes. */
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
/** What a section's file says of one of its settings. A null `kind` is told from the value. */
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

/** The platform's own names of fields. Those that are not listed are plain text. */
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
/** Kinds whose value is a text. */
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

/** What stands in a section's `{% schema %}`; null when there is none that can be read. */
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

/** Words in themes' ids that a merchant does not read as they stand. */
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
/** "button_url" → "Button link": of a setting that its section names no label for. */
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

/** The kind of a setting that no schema tells about. */
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

/** Either a list of fields, as the hosted platform has it, or an object of defaults. */
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
/** "t:sections.hero.name" stands for a word in the theme's translations. */
const plainText = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() && !value.startsWith('t:') ? value.trim() : null
