import type { FormChange } from '../../domain/drafts/draft-form-posted.ts'
import type { ChangeKind } from '../../domain/script/script-config.ts'

/**
 * A change in the list. Changes with the same `element` number are about one element and are shown
 * together.
 */
export type Row = FormChange & { key: number; element: number }

export type ChangesState = {
  /** In the order in which they are stored. */
  rows: Row[]
  /** The element that is shown unfolded. */
  open: number | null
  /** An element that was picked and has no change yet. */
  bare: { element: number; selector: string } | null
  /** The next free number, for rows and elements alike. */
  next: number
}

/**
 * What a visual control sets: an element has at most one row of each kind (and CSS property or
 * attribute).
 */
export type Setting = { kind: ChangeKind; name: string; value: string }

export type ChangesAct =
  /** Replaces the whole list: undo and redo. */
  | { do: 'load'; changes: readonly FormChange[] }
  | { do: 'open'; element: number | null }
  /** Opens the element that this selector finds: one that has changes, or a new one without any. */
  | { do: 'pick'; selector: string }
  /** Adds a row; for a new element when none is given. */
  | { do: 'add'; change: FormChange; element?: number }
  | { do: 'edit'; key: number; part: Partial<FormChange> }
  /**
   * A moved element, and one that gets a piece inserted beside it, is named by its selector: it may
   * have been picked in the same moment.
   */
  | { do: 'move'; selector: string; name: 'before' | 'after'; target: string; isHome?: boolean }
  | { do: 'beside'; selector: string; value: string }
  | { do: 'set'; element: number; setting: Setting }
  | { do: 'reset'; element: number; kind: ChangeKind; name?: string }
  /**
   * The same for another element, found by its selector: the link around the open element, or the
   * picture in it.
   */
  | { do: 'setBeside'; element: number; selector: string; setting: Setting }
  | { do: 'resetBeside'; selector: string; kind: ChangeKind; name: string }
  /** Gives this selector to all changes of an element, and to those that will be added. */
  | { do: 'aim'; element: number; selector: string }
  | { do: 'remove'; keys: number[] }

/**
 * Makes the state from stored changes. Changes with the same selector on the same pages are about
 * one element. `open` is the index of the change to show unfolded.
 */
export function changesState(changes: readonly FormChange[], open: number | null): ChangesState {
  const elements = new Map<string, number>()
  const rows = changes.map((change, key) => {
    // A change without a selector gets an element number of its own.
    const same = change.selector.trim() ? `${change.group ?? 0} ${change.selector}` : `blank ${key}`
    if (!elements.has(same)) elements.set(same, changes.length + key)
    return { ...change, key, element: elements.get(same)! }
  })
  const shown = open === null ? null : (rows[open]?.element ?? null)
  return { rows, open: shown, bare: null, next: 2 * changes.length }
}

export function reduceChanges(state: ChangesState, act: ChangesAct): ChangesState {
  const { rows, next, bare } = state
  switch (act.do) {
    case 'load':
      return loaded(state, act.changes)
    case 'open':
      return { ...state, open: act.element, bare: bare?.element === act.element ? bare : null }
    case 'pick': {
      const known = rows.find(({ selector }) => selector === act.selector)
      if (known) return { ...state, open: known.element, bare: null }
      return {
        ...state,
        open: next,
        bare: { element: next, selector: act.selector },
        next: next + 1,
      }
    }
    case 'add': {
      const element = act.element ?? next + 1
      return settled({
        ...state,
        rows: [...rows, { ...act.change, key: next, element }],
        open: element,
        next: next + 2,
      })
    }
    case 'edit':
      return {
        ...state,
        rows: rows.map(row => (row.key === act.key ? { ...row, ...act.part } : row)),
      }
    case 'set': {
      const { element, setting } = act
      const at = rows.findIndex(row => row.element === element && isOf(row, setting))
      if (at >= 0) return { ...state, rows: rows.with(at, { ...rows[at]!, ...setting }) }
      const selector = selectorOf(state, element)
      if (selector === null) return state
      const group = rows.find(row => row.element === element)?.group
      const row = { ...setting, selector, key: next, element, ...(group && { group }) }
      return settled({ ...state, rows: [...rows, row], next: next + 1 })
    }
    case 'setBeside': {
      const { selector, setting } = act,
        group = rows.find(row => row.element === act.element)?.group
      const known = elementOf(state, selector)
      if (known !== null) return reduceChanges(state, { do: 'set', element: known, setting })
      return {
        ...state,
        rows: [
          ...rows,
          { ...setting, selector, key: next, element: next + 1, ...(group && { group }) },
        ],
        next: next + 2,
      }
    }
    case 'resetBeside':
      return {
        ...state,
        rows: rows.filter(row => row.selector !== act.selector || !isOf(row, act)),
      }
    case 'move':
    case 'beside': {
      const element = elementOf(state, act.selector)
      if (element === null) return state
      // The element is back where the control has it, so its move is removed; unless the element
      // beside it was moved itself.
      if (
        act.do === 'move' &&
        act.isHome &&
        !rows.some(row => row.kind === 'move' && row.selector === act.target)
      )
        return reduceChanges(state, { do: 'reset', element, kind: 'move' })
      if (act.do === 'move')
        return reduceChanges(state, {
          do: 'set',
          element,
          setting: { kind: 'move', name: act.name, value: act.target },
        })
      const group = rows.find(row => row.element === element)?.group
      return reduceChanges(state, {
        do: 'add',
        element,
        change: {
          selector: act.selector,
          kind: 'insertAfter',
          name: '',
          value: act.value,
          ...(group && { group }),
        },
      })
    }
    case 'reset': {
      const { element, kind, name = '' } = act
      const selector = selectorOf(state, element)
      const left = rows.filter(row => row.element !== element || !isOf(row, { kind, name }))
      // When its last change is gone, the element stays open so that it can be changed in another
      // way.
      const isBare = selector !== null && !left.some(row => row.element === element)
      return { ...state, rows: left, bare: isBare ? { element, selector } : bare }
    }
    case 'aim': {
      const { element, selector } = act
      const to = rows.map(row => (row.element === element ? { ...row, selector } : row))
      return { ...state, rows: to, bare: bare?.element === element ? { element, selector } : bare }
    }
    case 'remove':
      return { ...state, rows: rows.filter(({ key }) => !act.keys.includes(key)) }
  }
}

/**
 * The selector that an element's next change will have; null for an element that is not in the
 * list.
 */
export const selectorOf = ({ rows, bare }: ChangesState, element: number): string | null =>
  rows.find(row => row.element === element)?.selector ??
  (bare?.element === element ? bare.selector : null)

const elementOf = ({ rows, bare }: ChangesState, selector: string): number | null =>
  rows.find(row => row.selector === selector)?.element ??
  (bare?.selector === selector ? bare.element : null)

/** The name of a move is the side of its target, so it is not compared: an element has one move. */
const isOf = (row: Row, { kind, name }: { kind: ChangeKind; name: string }): boolean =>
  row.kind === kind && (kind === 'move' || row.name.trim() === name)

/**
 * Replaces the list. Rows that are in both lists keep their keys, and the element that was changed
 * is shown unfolded.
 */
function loaded(state: ChangesState, changes: readonly FormChange[]): ChangesState {
  const left = [...state.rows],
    isEdit = changes.length === left.length
  let next = state.next
  const found = changes.map((change, at) =>
    isEdit ? left[at] : take(left, row => isSame(row, change)),
  )
  const rows: Row[] = []
  changes.forEach((change, at) => {
    const row = found[at]
    const beside = [...found, ...rows, ...state.rows].find(
      each => each?.selector === change.selector && each.group === change.group,
    )
    const element =
      row?.element ??
      beside?.element ??
      (state.bare?.selector === change.selector ? state.bare.element : next++)
    rows.push({ ...change, key: row?.key ?? next++, element })
  })
  const changed = rows.find(
    row => !state.rows.some(each => each.key === row.key && isSame(each, row)),
  )
  const open = changed?.element ?? state.open,
    selector = open === null ? null : selectorOf(state, open)
  const isBare = open !== null && selector !== null && !rows.some(({ element }) => element === open)
  return { rows, next, open, bare: isBare ? { element: open, selector } : null }
}

function take(rows: Row[], fits: (row: Row) => boolean): Row | undefined {
  const at = rows.findIndex(fits)
  return at < 0 ? undefined : rows.splice(at, 1)[0]
}
const isSame = (a: FormChange, b: FormChange): boolean =>
  a.selector === b.selector &&
  a.kind === b.kind &&
  a.name === b.name &&
  a.value === b.value &&
  (a.group ?? 0) === (b.group ?? 0)

/** An element that has a change is not bare any more. */
function settled(state: ChangesState): ChangesState {
  const { bare, rows } = state
  return bare && rows.some(({ element }) => element === bare.element)
    ? { ...state, bare: null }
    : state
}
