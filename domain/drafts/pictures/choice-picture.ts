import * as Type from 'typebox'
import { closed, Instant, Maybe } from '../../api/call.ts'
import { type TemplateType, templateTypes } from '../../themes/template.ts'
import { day } from '../../time-units.ts'

/** What a draft's template, theme or page is chosen from: each choice has a picture of the shop's page that it leads to. */
export type Choice =
  | { kind: 'theme'; id: string }
  | { kind: 'template'; type: TemplateType; suffix: string }
  /** The id is '' for types that have one page alone. */
  | { kind: 'page'; type: TemplateType; id: string }
  /** The same page by another template of its type. */
  | { kind: 'view'; type: TemplateType; suffix: string; id: string }

const longest = 200
const ChoiceName = Type.String({
  minLength: 1,
  maxLength: longest,
  pattern: '^(theme|template|page|view):',
})

/** One word for a choice: "theme:41", "template:product:story", "page:home:". */
export function choiceName(choice: Choice): string {
  if (choice.kind === 'theme') return `theme:${choice.id}`
  if (choice.kind === 'view') return `view:${choice.type}:${choice.suffix}:${choice.id}`
  return `${choice.kind}:${choice.type}:${choice.kind === 'template' ? choice.suffix : choice.id}`
}

/** The choice of a name; null for a text that is none. */
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

/** As wide as a desktop's window, and drawn at half its size: sharp on a dense screen at 320 CSS pixels. */
export const choiceWindow = { width: 1280, height: 800, isPhone: false } as const
export const choiceScale = 0.5

export const choiceLimits = {
  /** Pictures that are kept for a store; the one that was asked for longest ago goes first. */
  kept: 100,
  /** Asked for at once. */
  asked: 40,
  /** A picture that is older is drawn again when it is seen: prices and products change. Milliseconds. */
  age: day,
  /** One that could not be drawn is tried again after so long. Milliseconds. */
  retry: 60_000,
} as const

/** Where the picture of one choice stands. */
export const ChoicePicture = Type.Object({
  of: Type.String(),
  /** What it was drawn of, as whoever asked for it named that version. */
  version: Type.String(),
  /** When the present picture was taken; null while there is none. */
  takenAt: Maybe(Instant),
  /** Why the last attempt made none, in words. */
  problem: Maybe(Type.String()),
  isDrawing: Type.Boolean(),
})
export type ChoicePicture = Type.Static<typeof ChoicePicture>

export const ChoicePictures = Type.Object({
  /** False where the server has nothing to draw with. */
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

/** Whether a choice needs a picture that is not there: it has none, or it has changed since, or the picture is old. */
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

/** What the app tells its page: where the picture is, or why there is none; neither while it is being drawn. */
export type ChoiceShown = {
  of: string
  src: string | null
  problem: string | null
  isDrawing: boolean
}
