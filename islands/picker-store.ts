import { useSyncExternalStore } from 'react'
import type { Found, Picked } from '../domain/picker-message.ts'
import type { ScriptChange } from '../domain/script-config.ts'

/** What is being picked, and for whom: an element for a new change (`key` null) or for one that is there; or where a change moves its element to. */
export type Purpose = { key: number | null; part: 'selector' | 'value' }
export type FoundBySelector = ReadonlyMap<string, Found>
export type PickerState = {
  /** As they stand in the list; null on a page without one. */
  changes: ScriptChange[] | null
  purpose: Purpose | null
  /** A page of the shop listens. */
  isAlive: boolean
  found: FoundBySelector
  /** Elements that the page has told of, by each selector that they were asked for by. */
  known: ReadonlyMap<string, Picked>
}

const nothing: PickerState = { changes: null, purpose: null, isAlive: false, found: new Map(), known: new Map() }
let state = nothing
const watchers = new Set<() => void>()
let began: Element | null = null
let take: ((picked: Picked, purpose: Purpose) => void) | null = null

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
    return () => { if (take === given) take = null }
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
    const names = element.alike ? [element.selector, element.alike] : [element.selector]
    picker.set({ purpose: null, known: new Map([...state.known, ...names.map(name => [name, element] as const)]) })
    if (purpose) take?.(element, purpose)
  },
  watch: (watcher: () => void) => {
    watchers.add(watcher)
    return () => { watchers.delete(watcher) }
  },
}

export const usePicker = (): PickerState => useSyncExternalStore(picker.watch, picker.now, () => nothing)
