import type { Direction } from './undo-keys.ts'
import { type ElementStyles, styleNames } from './element-style.ts'
import { changeKinds, type ScriptChange } from '../script/script-config.ts'

/**
 * What the editor and the shop's page say to one another while a page element test is built. Both sides check origin
 * and window of every message, then its nonce, then its shape here; anything else is not obeyed. No validator is
 * imported: the preview script carries this.
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

/** What a selector finds on the page. `whole`: the page itself is among it. -1: not a selector. */
export type Found = { selector: string; count: number; whole: boolean }
/** An element that was picked, and what stands in it: all of it as in the control, before any change of the list. */
export type Picked = {
  selector: string
  count: number
  /** Finds this element and the others like it; '' where there are none. */
  alike: string
  alikeCount: number
  /** Button “Add to cart” */
  label: string
  tag: string
  text: string
  /** '' where there is too much of it. */
  html: string
  /** Address of its picture; '' where it shows none. */
  image: string
  attributes: { name: string; value: string }[]
  /** The link that it stands in. */
  link: Beside
  /** The only picture in it. */
  picture: Beside
  /** Whether another text in place of its own takes no other element away. */
  isPlain: boolean
  /** As the browser computed them. */
  styles: ElementStyles
  /** Colour of what lies under it; '' where that is a picture, or cannot be told. */
  ground: string
  /** Font families that the page brings along. */
  fonts: string[]
}
/** Another element that belongs to the picked one; its selector is '' where there is none. */
export type Beside = { selector: string; address: string; alt: string }

/** Where among its siblings an element was moved to: `name` and `target` are those of the change. `isHome`: where it is in the control. */
export type MovedTo = { name: 'before' | 'after'; target: string; isHome: boolean }

/** How far a page of the shop is scrolled. CSS pixels of that page. */
export type Place = { path: string; x: number; y: number }

export type EditorMessage =
  /** The answer to `ready`: its nonce is that of the session from here on. `changes` null: what is saved. `at`: where the page is to stand. */
  | { type: 'begin'; changes: ScriptChange[] | null; at: Place | null }
  /** Load the page again, so that `begin` brings the changes as they are now. */
  | { type: 'apply' }
  | { type: 'picking'; on: boolean }
  | { type: 'step'; to: PickStep }
  /** How many elements each finds, and what stands in the first of them. */
  | { type: 'count'; selectors: string[] }
  | { type: 'scroll'; to: Place }
  /** Outlines what this finds, until the next; '' nothing. `seek`: and scrolls to where it is seen. */
  | { type: 'mark'; selector: string; seek: boolean }
  /** Moves what this finds past its neighbour; answered by `moved` where there is one. */
  | { type: 'shift'; selector: string; to: 'up' | 'down' }
export type PageMessage =
  /** The page listens; said again until it is answered, as it may be there first. Without a nonce; `page` tells this load of it from the next. */
  | { type: 'ready'; page: string }
  | { type: 'outlined'; label: string }
  | { type: 'picked'; picked: Picked }
  | { type: 'counted'; found: Found[] }
  | { type: 'described'; selector: string; picked: Picked }
  | { type: 'moved'; selector: string; picked: Picked; to: MovedTo }
  | { type: 'ended' }
  /** Keys of the editor, pressed in the page. */
  | { type: 'pressed'; keys: Direction }
  /** By a person, not by the editor. */
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
/** Exactly these members, no others. */
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
/** The message, or null for anything that is not exactly one. */
export const readEditorMessage = reader<EditorMessage>(editorShapes)
export const readPageMessage = reader<PageMessage>(pageShapes)

export const sealed = <M extends EditorMessage | PageMessage>(
  message: M,
  nonce: string,
): Sealed<M> => ({ ...message, twinshelf: seal, nonce })
