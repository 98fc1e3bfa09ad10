import { useSyncExternalStore } from 'react'
import type { PieceKind } from '../../../domain/drafts/page-piece.ts'
import type { Found, MovedTo, Picked } from '../../../domain/drafts/picker-message.ts'
import type { ScriptChange } from '../../../domain/script/script-config.ts'

/**
 * What is being picked. `key`: the change that it is for; null for a new element. `part` 'value':
 * where that change moves its element. `piece`: the piece that is inserted beside the picked
 * element.
 */
export type Purpose = { key: number | null; part: 'selector' | 'value'; piece?: PieceKind }
export type FoundBySelector = ReadonlyMap<string, Found>
export type PickerState = {
  /** The changes in the list; null on a page without a list. */
  changes: ScriptChange[] | null
  purpose: Purpose | null
  /** A page of the shop is listening. */
  isAlive: boolean
  found: FoundBySelector
  /** Elements that the page has described, by every selector that they were asked for with. */
  known: ReadonlyMap<string, Picked>
  /** Selector of the element whose changes are open; '' for none. */
  marked: string
  /** A move that the merchant asked for. The page answers where the element goes. */
  shift: { selector: string; to: 'up' | 'down' } | null
  /**
   * For each selector, the paths of tested pages on which it found nothing; and the pages that did
   * not open.
   */
  missing: ReadonlyMap<string, readonly string[]>
  unopened: readonly string[]
}
type Takes = {
  onPick: (picked: Picked, purpose: Purpose) => void
  /** `isPicked`: the merchant moved it in the page itself, not with the buttons beside it. */
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

/** What two islands of one page, the list of changes and the frame, know about each other. */
export const picker = {
  now: () => state,
  set: (part: Partial<PickerState>): void => {
    state = { ...state, ...part }
    watchers.forEach(watch => watch())
  },
  /**
   * Sets the functions that are called with what was picked. Returns a function that removes them.
   */
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
  /** Stops picking and puts the focus back where it was. */
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
  /**
   * The page has said where an element goes: the element that `selector` names, or the dragged one
   * when it is ''.
   */
  moved: (selector: string, element: Picked, to: MovedTo): void => {
    const isPicked = state.purpose !== null
    picker.set({ purpose: null })
    const named = selector || element.selector
    if (!state.known.has(named)) picker.learn(element, named)
    take?.onMove(named, to, isPicked)
  },
  /** Stores what the page tells about an element, under these selectors. */
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

/** Forgets what is known about the page, because the list of changes is gone. */
export const forgetPage = (): void =>
  picker.set({ ...nothing, isAlive: state.isAlive, purpose: state.purpose })

export const usePicker = (): PickerState =>
  useSyncExternalStore(picker.watch, picker.now, () => nothing)
