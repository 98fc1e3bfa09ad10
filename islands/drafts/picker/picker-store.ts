import { useSyncExternalStore } from 'react'
import type { PieceKind } from '../../../domain/drafts/page-piece.ts'
import type { Found, MovedTo, Picked } from '../../../domain/drafts/picker-message.ts'
import type { ScriptChange } from '../../../domain/script/script-config.ts'

/** What is being picked, and for whom: an element to be changed (`key` null), or for a change that is there; where a change moves its element to; or beside which a piece is inserted. */
export type Purpose = { key: number | null; part: 'selector' | 'value'; piece?: PieceKind }
export type FoundBySelector = ReadonlyMap<string, Found>
export type PickerState = {
  /** As they stand in the list; null on a page without one. */
  changes: ScriptChange[] | null
  purpose: Purpose | null
  /** A page of the shop listens. */
  isAlive: boolean
  found: FoundBySelector
  /** Elements that the page has told about, by each selector that they were asked for by. */
  known: ReadonlyMap<string, Picked>
  /** The element whose changes are open; '' none. */
  marked: string
  /** A move that is asked for. The page says where to. */
  shift: { selector: string; to: 'up' | 'down' } | null
  /** Paths of tested pages on which a selector found nothing, by selector, and pages that did not open. */
  missing: ReadonlyMap<string, readonly string[]>
  unopened: readonly string[]
}
type Takes = {
  onPick: (picked: Picked, purpose: Purpose) => void
  /** `isPicked`: in the page itself, not by the buttons beside it. */
  onMove: (selector: string, to: MovedTo, isPicked: boolean) => void
}

const nothing: PickerState = {
  changes: null,
  purpose: null,
  isAlive: false,
  found: new Map(),
  known: new Map(),
  marked: '',
  shift: null,
  missing: new Map(),
  unopened: [],
}
let state = nothing
const watchers = new Set<() => void>()
let began: Element | null = null
let take: Takes | null = null

/** What the list of changes and the frame, two islands of one page, know of one another. */
export const picker = {
  now: () => state,
  set: (part: Partial<PickerState>): void => {
    state = { ...state, ...part }
    watchers.forEach(watch => watch())
  },
  /** Who is told what was picked. Answers with what takes them off again. */
  taker: (given: NonNullable<typeof take>) => {
    take = given
    return () => {
      if (take === given) take = null
    }
  },
  start: (purpose: Purpose): void => {
    began = document.activeElement
    picker.set({ purpose })
  },
  /** Nothing is picked; the focus is where it was. */
  stop: (): void => {
    if (!state.purpose) return
    picker.set({ purpose: null })
    if (began instanceof HTMLElement) began.focus()
  },
  picked: (element: Picked): void => {
    const { purpose } = state
    picker.set({ purpose: null })
    picker.learn(
      element,
      ...(element.alike ? [element.selector, element.alike] : [element.selector]),
    )
    if (purpose) take?.onPick(element, purpose)
  },
  /** The page has said where an element goes: one that was named, or the one that was dragged. */
  moved: (selector: string, element: Picked, to: MovedTo): void => {
    const isPicked = state.purpose !== null
    picker.set({ purpose: null })
    const named = selector || element.selector
    if (!state.known.has(named)) picker.learn(element, named)
    take?.onMove(named, to, isPicked)
  },
  /** What the page tells about an element, by the selectors that stand for it. */
  learn: (element: Picked, ...selectors: string[]): void =>
    picker.set({
      known: new Map([...state.known, ...selectors.map(selector => [selector, element] as const)]),
    }),
  watch: (watcher: () => void) => {
    watchers.add(watcher)
    return () => {
      watchers.delete(watcher)
    }
  },
}

/** Nothing is known of the page any more: the list of changes is gone. */
export const forgetPage = (): void =>
  picker.set({ ...nothing, isAlive: state.isAlive, purpose: state.purpose })

export const usePicker = (): PickerState =>
  useSyncExternalStore(picker.watch, picker.now, () => nothing)
