import type { Direction } from './undo-keys.ts'
import { type ElementStyles, styleNames } from './element-style.ts'
import { changeKinds, type ScriptChange } from '../script/script-config.ts'

/**
 * Messages between the editor and the shop's page while a merchant builds a page element test. Both
 * sides check the origin and window of each message, then its nonce, then its shape (here), and
 * ignore all others. This file imports no validator, because it is part of the preview script,
 * which must stay small.
 */
export const pickSteps = [
  'parent',
  'child',
  'previous',
  'next',
  'pick',
  'moveUp',
  'moveDown',
] as const
export type PickStep = (typeof pickSteps)[number]

/**
 * What a selector finds on the page. `count`: number of elements, -1 when it is not a valid
 * selector. `whole`: they include the page itself.
 */
export type Found = { selector: string; count: number; whole: boolean }
/** A picked element and its content, as in the control: before any change of the list. */
export type Picked = {
  selector: string
  count: number
  /** A selector for this element and the others like it; '' when there are none. */
  alike: string
  alikeCount: number
  /** For people, for example: Button “Add to cart” */
  label: string
  tag: string
  text: string
  /** Its markup; '' when it is too long. */
  html: string
  /** Address of its picture; '' when it has none. */
  image: string
  attributes: { name: string; value: string }[]
  /** The link around it. */
  link: Beside
  /** The only picture in it. */
  picture: Beside
  /** Whether a new text can replace its content without removing other elements. */
  isPlain: boolean
  /** The values that the browser computed. */
  styles: ElementStyles
  /** Colour of its background; '' when that is a picture or unknown. */
  ground: string
  /** Font families that the page loads. */
  fonts: string[]
}
/** Another element that belongs to the picked one. `selector` is '' when there is none. */
export type Beside = { selector: string; address: string; alt: string }

/**
 * Where an element was moved among its siblings. `name` and `target` are those of the change.
 * `isHome`: it is back where the control has it.
 */
export type MovedTo = { name: 'before' | 'after'; target: string; isHome: boolean }

/** How far a page of the shop is scrolled, in CSS pixels of that page. */
export type Place = { path: string; x: number; y: number }

export type EditorMessage =
  /**
   * Answers `ready`. Its nonce is used for the rest of the session. `changes`: null for the saved
   * ones. `at`: where to scroll to.
   */
  | { type: 'begin'; changes: ScriptChange[] | null; at: Place | null }
  /** Asks the page to load again, so that the next `begin` brings the present changes. */
  | { type: 'apply' }
  | { type: 'picking'; on: boolean }
  | { type: 'step'; to: PickStep }
  /** Asks how many elements each selector finds. */
  | { type: 'count'; selectors: string[] }
  | { type: 'scroll'; to: Place }
  /**
   * Outlines what the selector finds until the next `mark`; '' outlines nothing. `seek`: also
   * scrolls to it.
   */
  | { type: 'mark'; selector: string; seek: boolean }
  /** Moves the element past its neighbour. If there is a neighbour, `moved` answers. */
  | { type: 'shift'; selector: string; to: 'up' | 'down' }
export type PageMessage =
  /**
   * The page listens. It repeats this until it gets an answer, because it may start before the
   * editor. It has no nonce; `page` identifies this load of the page.
   */
  | { type: 'ready'; page: string }
  | { type: 'outlined'; label: string }
  | { type: 'picked'; picked: Picked }
  | { type: 'counted'; found: Found[] }
  | { type: 'described'; selector: string; picked: Picked }
  | { type: 'moved'; selector: string; picked: Picked; to: MovedTo }
  | { type: 'ended' }
  /** A shortcut of the editor was pressed in the page. */
  | { type: 'pressed'; keys: Direction }
  /** The merchant scrolled, not the editor. */
  | { type: 'scrolled'; at: Place }
type Sealed<M> = M & { twinshelf: typeof seal; nonce: string }

const seal = 'picker'
export const textLimit = 20_000,
  selectorLength = 1000,
  attributeLimit = 40,
  styleLimit = 500,
  fontsLimit = 20
const changeLimit = 50

type Check = (value: unknown) => boolean
const text =
  (limit: number): Check =>
  value =>
    typeof value === 'string' && value.length <= limit
const oneOf =
  (words: readonly string[]): Check =>
  value =>
    typeof value === 'string' && words.includes(value)
const truth: Check = value => typeof value === 'boolean'
const count: Check = value => Number.isInteger(value) && (value as number) >= -1
const list =
  (each: Check, limit: number): Check =>
  value =>
    Array.isArray(value) && value.length <= limit && value.every(each)
/** An object with exactly these members. */
const shape =
  (members: Record<string, Check>): Check =>
  value => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const entries = Object.entries(value)
    return (
      entries.length === Object.keys(members).length &&
      entries.every(([name, member]) => Object.hasOwn(members, name) && members[name]!(member))
    )
  }

const length: Check = value => Number.isFinite(value)
const place = shape({ path: text(2000), x: length, y: length })
const changed = {
  selector: text(selectorLength),
  kind: oneOf(changeKinds),
  value: text(textLimit),
  name: text(100),
}
const bare = shape(changed),
  onPages = shape({ ...changed, pages: list(text(selectorLength), 20) })
const change: Check = value => bare(value) || onPages(value)
const beside = shape({
  selector: text(selectorLength),
  address: text(textLimit),
  alt: text(textLimit),
})
const picked = shape({
  selector: text(selectorLength),
  count,
  alike: text(selectorLength),
  alikeCount: count,
  label: text(200),
  tag: text(100),
  text: text(textLimit),
  html: text(textLimit),
  image: text(textLimit),
  attributes: list(shape({ name: text(200), value: text(textLimit) }), attributeLimit),
  link: beside,
  picture: beside,
  isPlain: truth,
  styles: shape(Object.fromEntries(styleNames.map(name => [name, text(styleLimit)]))),
  ground: text(100),
  fonts: list(text(100), fontsLimit),
})
const editorShapes: Record<EditorMessage['type'], Record<string, Check>> = {
  begin: {
    changes: value => value === null || list(change, changeLimit)(value),
    at: value => value === null || place(value),
  },
  apply: {},
  picking: { on: truth },
  step: { to: oneOf(pickSteps) },
  count: { selectors: list(text(selectorLength), 2 * changeLimit) },
  scroll: { to: place },
  mark: { selector: text(selectorLength), seek: truth },
  shift: { selector: text(selectorLength), to: oneOf(['up', 'down']) },
}
const pageShapes: Record<PageMessage['type'], Record<string, Check>> = {
  ready: { page: text(64) },
  outlined: { label: text(200) },
  picked: { picked },
  counted: {
    found: list(shape({ selector: text(selectorLength), count, whole: truth }), 2 * changeLimit),
  },
  ended: {},
  scrolled: { at: place },
  described: { selector: text(selectorLength), picked },
  moved: {
    selector: text(selectorLength),
    picked,
    to: shape({ name: oneOf(['before', 'after']), target: text(selectorLength), isHome: truth }),
  },
  pressed: { keys: oneOf(['undo', 'redo']) },
}

const reader =
  <M extends { type: string }>(shapes: Record<string, Record<string, Check>>) =>
  (data: unknown): Sealed<M> | null => {
    if (typeof data !== 'object' || data === null) return null
    const { twinshelf, nonce, type } = data as Record<string, unknown>
    if (
      twinshelf !== seal ||
      !text(64)(nonce) ||
      typeof type !== 'string' ||
      !Object.hasOwn(shapes, type)
    )
      return null
    return shape({ twinshelf: () => true, nonce: () => true, type: () => true, ...shapes[type] })(
      data,
    )
      ? (data as Sealed<M>)
      : null
  }
/** Returns the message, or null when the data has not exactly the shape of one. */
export const readEditorMessage = reader<EditorMessage>(editorShapes)
export const readPageMessage = reader<PageMessage>(pageShapes)

export const sealed = <M extends EditorMessage | PageMessage>(
  message: M,
  nonce: string,
): Sealed<M> => ({ ...message, twinshelf: seal, nonce })
