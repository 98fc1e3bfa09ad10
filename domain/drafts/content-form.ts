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
 * The content editor's fields. A setting's field is named by section, block and setting ("content.story..title"), so
 * that it stays that setting's wherever its section has moved meanwhile.
 */
export const contentVersionField = 'content.version'
/** What each field held when the page was drawn, as a digest: what was typed is told from what the shop changed since. */
export const contentWasField = 'content.was'
/** Takes what is typed though the shop holds something newer; it names which. */
export const keepMine = (version: string): string => `content.mine:${version}`

export const settingField = (section: string, block: string | null, setting: string): string =>
  ['content', section, block ?? '', setting].map(plain).join('.')
/** What a button is about: a section, one of its blocks, one of their settings. */
export const contentArgument = (...ids: (string | null)[]): string =>
  ids.map(id => encodeURIComponent(id ?? '')).join(':')
export function argumentIds(argument: string): (string | null)[] | null {
  try {
    return argument.split(':').map(id => decodeURIComponent(id) || null)
  } catch {
    return null
  }
}

/** A setting as its field shows it, or as it was typed. */
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
  // A box that is not ticked sends the empty value before it alone.
  if (setting.kind === 'yesNo') return [given].flat().includes('1') ? '1' : ''
  const text = ofOneKind([given].flat()[0] ?? ''),
    stored = settingText(setting)
  // A browser's colour field sends small letters, whatever it was given.
  return setting.kind === 'colour' && text === stored.toLowerCase() ? stored : text
}

type Read = {
  sections: SectionUpdate[]
  problems: FieldProblem[]
  /** The file is another than the page was drawn from, by somebody in the shop. */
  isNews: boolean
  /** A setting was typed here and changed there. */
  isContested: boolean
}
/** What was typed and is not as it stands, as the API takes it. What only the shop has changed since the page was drawn stays as the shop has it. */
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

/** For the page: a digest of what each field holds. */
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

/** FNV-1a: good enough to tell whether a text is the same as a moment ago. */
function digest(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash.toString(36)
}

/** Where a problem that the API names is told in the form: at its field, or for the whole. */
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

/** A browser sends line ends of its own. */
const ofOneKind = (text: string): string => text.replace(/\r\n?/g, '\n')
function numberOf(text: string): number | null {
  const plainText = text.trim().replace(',', '.'),
    number = Number(plainText)
  return plainText && Number.isFinite(number) ? number : null
}
/** Letters, digits and "_" stay; everything else is spelled out, so that no two names meet in one field or id. */
const plain = (id: string): string =>
  id.replace(/[^A-Za-z0-9_]/gu, sign => `~${sign.codePointAt(0)!.toString(16)}~`)
