import * as Type from 'typebox'
import { closed, Instant, Maybe } from '../../api/call.ts'
import { type TemplateType, templateTypes } from '../../themes/template.ts'
import { day } from '../../time-units.ts'

/**
 * A theme, template or page that a merchant can choose in a draft. The picture of a choice shows
 * the shop's page that it leads to.
 */
export type Choice =
  | { kind: 'theme'; id: string }
  | { kind: 'template'; type: TemplateType; suffix: string }
  /** `id` is '' for types that have only one page. */
  | { kind: 'page'; type: TemplateType; id: string }
  /** The same page, shown by another template of its type. */
  | { kind: 'view'; type: TemplateType; suffix: string; id: string }

const longest = 200
const ChoiceName = Type.String({
  minLength: 1,
  maxLength: longest,
  pattern: '^(theme|template|page|view):',
})

/** The name of a choice: "theme:41", "template:product:story", "page:home:". */
export function choiceName(choice: Choice): string {
  if (choice.kind === 'theme') return `theme:${choice.id}`
  if (choice.kind === 'view') return `view:${choice.type}:${choice.suffix}:${choice.id}`
  return `${choice.kind}:${choice.type}:${choice.kind === 'template' ? choice.suffix : choice.id}`
}

/** The choice with this name; null for a text that is not such a name. */
export function choiceOf(name: string): Choice | null {
  const [kind, first = '', ...rest] = name.split(':'),
    last = rest.join(':')
  if (kind === 'theme') return first ? { kind, id: name.slice('theme:'.length) } : null
  const type = templateTypes.find(each => each === first)
  if (!type || rest.length === 0) return null
  if (kind === 'template') return { kind, type, suffix: last }
  if (kind === 'page') return { kind, type, id: last }
  const [suffix = '', ...id] = rest
  return kind === 'view' && suffix && id.length > 0
    ? { kind, type, suffix, id: id.join(':') }
    : null
}

/**
 * The browser window for pictures, in CSS pixels. Pictures have half its size, which is sharp at
 * 320 CSS pixels on a dense screen.
 */
export const choiceWindow = { width: 1280, height: 800, isPhone: false } as const
export const choiceScale = 0.5

export const choiceLimits = {
  /** Pictures kept for one store. The one that was requested longest ago is removed first. */
  kept: 100,
  /** Pictures in one request. */
  asked: 40,
  /**
   * An older picture is drawn again when someone looks at it, because prices and products change.
   * Milliseconds.
   */
  age: day,
  /** Wait before the next attempt after a picture could not be drawn. Milliseconds. */
  retry: 60_000,
} as const

/** The state of one choice's picture. */
export const ChoicePicture = Type.Object({
  of: Type.String(),
  /** The version of the theme, template or page that was drawn, as the client named it. */
  version: Type.String(),
  /** When the picture was taken; null while there is none. */
  takenAt: Maybe(Instant),
  /** Why the last attempt failed, in words; null when it did not. */
  problem: Maybe(Type.String()),
  isDrawing: Type.Boolean(),
})
export type ChoicePicture = Type.Static<typeof ChoicePicture>

export const ChoicePictures = Type.Object({
  /** False when the server has no browser to draw with. */
  canDraw: Type.Boolean(),
  pictures: Type.Array(ChoicePicture),
})
export type ChoicePictures = Type.Static<typeof ChoicePictures>

export const ChoiceAsk = Type.Object(
  { of: ChoiceName, version: Type.String({ maxLength: 100 }) },
  closed,
)
export type ChoiceAsk = Type.Static<typeof ChoiceAsk>
export const ChoiceAsks = Type.Object(
  { choices: Type.Array(ChoiceAsk, { minItems: 1, maxItems: choiceLimits.asked }) },
  closed,
)
export const ChoiceQuery = Type.Object({ of: ChoiceName }, closed)

/**
 * Whether a choice needs a new picture: it has none, or the picture is old or of another version.
 */
export function needsPicture(
  picture: ChoicePicture | undefined,
  version: string,
  now: Date,
): boolean {
  return (
    !picture?.takenAt ||
    picture.version !== version ||
    now.getTime() - Date.parse(picture.takenAt) > choiceLimits.age
  )
}

/**
 * What the app sends to its page. `src` is the picture's address, `problem` why there is none. Both
 * are null while it is being drawn.
 */
export type ChoiceShown = {
  of: string
  src: string | null
  problem: string | null
  isDrawing: boolean
}
