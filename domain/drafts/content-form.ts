import type { Posted } from '../posted.ts'
import type { FieldProblem } from '../problem.ts'
import {
  type ContentBlock,
  type ContentSection,
  type ContentSetting,
  longestText,
  type SectionUpdate,
  type TemplateContent,
} from '../themes/template-content.ts'

/*
 * The fields of the content editor. A field's name holds the section, the block and the setting
 * ("content.story..title"), so that it still names the right setting when the section has moved
 * meanwhile.
 */
export const contentVersionField = 'content.version'
/**
 * Holds a digest of each field from when the page was drawn. It tells what the merchant typed from
 * what the shop has changed since.
 */
export const contentWasField = 'content.was'
/** Value of the button that saves the typed text over the newer file `version` of the shop. */
export const keepMine = (version: string): string => `content.mine:${version}`

export const settingField = (section: string, block: string | null, setting: string): string =>
  ['content', section, block ?? '', setting].map(plain).join('.')
/**
 * The argument of a button: the ids of a section, of one of its blocks, of one of their settings.
 * `argumentIds` reads it back; null when it is not valid.
 */
export const contentArgument = (...ids: (string | null)[]): string =>
  ids.map(id => encodeURIComponent(id ?? '')).join(':')
export function argumentIds(argument: string): (string | null)[] | null {
  try {
    return argument.split(':').map(id => decodeURIComponent(id) || null)
  } catch {
    return null
  }
}

/**
 * The stored value of a setting, as its field shows it. `typedText` is the posted value, or the
 * stored one when nothing was posted.
 */
export function settingText({ kind, value }: Pick<ContentSetting, 'kind' | 'value'>): string {
  return kind === 'yesNo' ? (value === true ? '1' : '') : ofOneKind(String(value ?? ''))
}
export function typedText(
  posted: Posted,
  field: string,
  setting: Pick<ContentSetting, 'kind' | 'value'>,
): string {
  const given = posted[field]
  if (given === undefined) return settingText(setting)
  // Before each checkbox there is a hidden field with the empty value: an unticked box sends only
  // that one.
  if (setting.kind === 'yesNo') return [given].flat().includes('1') ? '1' : ''
  const text = ofOneKind([given].flat()[0] ?? ''),
    stored = settingText(setting)
  // A browser's colour field always sends lower-case letters.
  return setting.kind === 'colour' && text === stored.toLowerCase() ? stored : text
}

type Read = {
  sections: SectionUpdate[]
  problems: FieldProblem[]
  /** Someone has edited the file in the shop since the page was drawn. */
  isNews: boolean
  /** A setting was changed in both places: typed here, and edited in the shop. */
  isContested: boolean
}
/**
 * Makes the API's input from the settings that the merchant changed. A setting that only the shop
 * has changed since the page was drawn keeps the shop's value.
 */
export function contentUpdate(
  content: Pick<TemplateContent, 'sections' | 'version' | 'isEditedInShop'>,
  posted: Posted,
): Read {
  const problems: FieldProblem[] = [],
    was = wasOf(posted)
  const isNews = content.isEditedInShop && posted[contentVersionField] !== content.version
  let isContested = false
  const settingsOf = (section: ContentSection, block: ContentBlock | null) =>
    (block ?? section).settings.flatMap(setting => {
      const field = settingField(section.id, block?.id ?? null, setting.id),
        text = typedText(posted, field, setting)
      if (
        setting.kind === 'other' ||
        text === settingText(setting) ||
        (isNews && digest(text) === was[field])
      )
        return []
      if (isNews && digest(settingText(setting)) !== was[field]) isContested = true
      const value =
        setting.kind === 'yesNo' ? text === '1' : setting.kind === 'number' ? numberOf(text) : text
      if (value === null) problems.push({ field, message: 'Write a number.' })
      else if (typeof value === 'string' && value.length > longestText)
        problems.push({ field, message: `At most ${longestText.toLocaleString('en')} characters.` })
      else return [{ id: setting.id, value }]
      return []
    })
  const sections = content.sections.flatMap(section => {
    const settings = settingsOf(section, null)
    const blocks = section.blocks.flatMap(block => {
      const inside = settingsOf(section, block)
      return inside.length > 0 ? [{ id: block.id, settings: inside }] : []
    })
    return settings.length > 0 || blocks.length > 0 ? [{ id: section.id, settings, blocks }] : []
  })
  return { sections, problems, isNews, isContested }
}

/** The value of the field `content.was`: JSON with a digest of each setting, by field name. */
export function contentWas({ sections }: Pick<TemplateContent, 'sections'>): string {
  const parts = sections.flatMap(section => [
    { section, block: null, settings: section.settings },
    ...section.blocks.map(({ id, settings }) => ({ section, block: id, settings })),
  ])
  return JSON.stringify(
    Object.fromEntries(
      parts.flatMap(({ section, block, settings }) =>
        settings.map(setting => [
          settingField(section.id, block, setting.id),
          digest(settingText(setting)),
        ]),
      ),
    ),
  )
}

function wasOf(posted: Posted): Record<string, unknown> {
  try {
    const was: unknown = JSON.parse(String(posted[contentWasField] ?? '{}'))
    return typeof was === 'object' && was !== null ? (was as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** FNV-1a, 32 bits: enough to tell whether a text has changed. */
function digest(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash.toString(36)
}

/**
 * The form field for a problem that the API reports. Returns "content", the whole editor, when the
 * problem is not about one setting.
 */
export function contentField(sections: readonly SectionUpdate[], field: string): string {
  const [, section, , block, setting] =
    /^sections\.(\d+)(\.blocks\.(\d+))?\.settings\.(\d+)/.exec(field) ?? []
  const at = sections[Number(section)],
    inside = block === undefined ? at : at?.blocks?.[Number(block)]
  const id = inside?.settings?.[Number(setting)]?.id
  return at && inside && id !== undefined
    ? settingField(at.id, block === undefined ? null : inside.id, id)
    : 'content'
}

/** Makes all line ends \n: browsers send \r\n. */
const ofOneKind = (text: string): string => text.replace(/\r\n?/g, '\n')
function numberOf(text: string): number | null {
  const plainText = text.trim().replace(',', '.'),
    number = Number(plainText)
  return plainText && Number.isFinite(number) ? number : null
}
/**
 * Keeps letters, digits and "_" and writes all other characters as ~hex~, so that different ids
 * never give the same field name.
 */
const plain = (id: string): string =>
  id.replace(/[^A-Za-z0-9_]/gu, sign => `~${sign.codePointAt(0)!.toString(16)}~`)
