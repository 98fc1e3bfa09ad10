import { type Direction, undoKeys } from '../../domain/drafts/undo-keys.ts'
import { changesNames, drawnFields, fillFields, isTextField, readFields } from './edit-fields.ts'
import { actOf } from './edit-act.ts'
import { changesIn, labelOf } from './edit-form.ts'
import {
  type Edit,
  fieldChange,
  moved,
  nextEdit,
  noHistory,
  record,
  valuesOf,
} from './edit-history.ts'
import { keptOf, placeOf, versionOf } from './edit-place.ts'
import { addressAt, arrive, type Going, keepSession, readSession, stepOf } from './edit-session.ts'
import { showToast } from '../page/toasts.ts'

export type Watched = {
  form: HTMLFormElement
  draft: string
  /** The page that made the draft's present version; null when it is not known. */
  by: string | null
  isConflict: boolean
  isRefused: boolean
  /**
   * Called with the labels of what can be undone and redone (null: nothing), and with a sentence
   * about what has just happened.
   */
  tell: (next: { undo: string | null; redo: string | null }, said?: string) => void
}

/** Longest pause between two keys that belong to one edit. Milliseconds. */
const restInTyping = 3000

/** A field changes at most this long after its key. Milliseconds. */
const keyLag = 250
const done: Record<Direction, string> = { undo: 'Undone', redo: 'Redone' }
const elsewhere = 'This draft was changed elsewhere. Earlier changes can no longer be undone here.'

/**
 * Records what is done to the draft in this form, undoes it and redoes it. It fills the fields as
 * if they were typed, so that they are saved like anything else and conflicts with other people's
 * saves are noticed.
 */
export function watchEdits({ form, draft, by, isConflict, isRefused, tell }: Watched): {
  step: (direction: Direction) => void
  end: () => void
} {
  const ending = new AbortController(),
    { signal } = ending
  const session = readSession(draft),
    at = placeOf(form)
  // The page is being left: what it has done is for the next one (edit-act.ts).
  const left = 'acted' in form.dataset ? session : null
  const arrival = arrive(left ? { ...left, going: null } : session, {
    at,
    version: versionOf(form),
    fields: drawnFields(form),
    kept: keptOf(form),
    by,
    isConflict,
    isRefused,
  })
  let history = arrival.history,
    fields = drawnFields(form),
    going: Going | null = left?.going ?? null
  let typedAt = 0,
    recordedAt = 0,
    wasTyped = false
  /** The input type of the last event of a text field: it names the browser's own undo and redo. */
  let native = '',
    isRedoing = false
  /** Set while fields are being filled: islands report then that their fields have changed. */
  let isFilling = false
  /**
   * The text field that has the focus, and its value when the app, not the person, last wrote it.
   */
  let used: { field: HTMLInputElement | HTMLTextAreaElement; was: string } | null = null

  const keep = (): void => {
    const page = form.dataset['page'],
      pages = [...new Set([...(session?.pages ?? []), ...(page ? [page] : [])])].slice(-5)
    keepSession(draft, {
      history,
      version: versionOf(form),
      pages,
      at,
      fields,
      kept: keptOf(form),
      going,
    })
  }
  const show = (said?: string): void =>
    tell(
      {
        undo: nextEdit(history, 'undo')?.label ?? null,
        redo: nextEdit(history, 'redo')?.label ?? null,
      },
      said,
    )
  const forget = (): void => {
    const hadAny = history.past.length + history.future.length > 0 || arrival.isElsewhere
    history = noHistory
    keep()
    show(hadAny ? elsewhere : undefined)
    if (hadAny) showToast(elsewhere, 'plain')
  }

  const look = (): void => {
    const now = readFields(form),
      changed = fieldChange(fields, now)
    if (!changed || isFilling) return
    const isTyped = Date.now() - typedAt < keyLag,
      isNext = wasTyped && Date.now() - recordedAt < restInTyping
    history = record(
      history,
      { label: labelOf(form, changed, fields, now), at: placeOf(form), fields: changed },
      isTyped && (isNext || native.startsWith('history')),
    )
    recordedAt = Date.now()
    wasTyped = isTyped
    fields = now
    keep()
    show()
  }
  // In the capture phase: before any island gets the event and redraws its fields.
  form.addEventListener(
    'input',
    event => {
      if (!isTextField(event.target)) return
      typedAt = Date.now()
      native = event instanceof InputEvent ? event.inputType : ''
      isRedoing = native === 'historyUndo' || (isRedoing && native === 'historyRedo')
    },
    { signal, capture: true },
  )
  // Islands write fields after one of their buttons, or after a pick on the shop's own page.
  const later = (): void => {
    setTimeout(() => {
      if (!signal.aborted) look()
    }, 50)
  }
  for (const type of ['input', 'change', 'draft:touched'])
    form.addEventListener(type, look, { signal })
  for (const type of ['click', 'keyup']) form.addEventListener(type, later, { signal })
  addEventListener('message', later, { signal })
  document.addEventListener('draft:conflict', forget, { signal })
  // The keys were pressed in the preview, which is a page of the shop.
  document.addEventListener('draft:undo', event => step((event as CustomEvent<Direction>).detail), {
    signal,
  })

  const step = (direction: Direction): void => {
    look()
    isRedoing = false
    const edit = nextEdit(history, direction)
    if (!edit) return
    if (edit.kept) return restore(edit, direction)
    if (apply(edit, direction)) return
    going = { edit: direction }
    keep()
    if (edit.at !== placeOf(form)) return location.assign(addressAt(edit.at, form.action))
    // The fields of this edit are no longer on this page.
    history = { ...history, [direction === 'undo' ? 'past' : 'future']: [] }
    going = null
    keep()
    show(`Cannot be ${direction === 'undo' ? 'undone' : 'redone'}: ${edit.label}`)
  }
  const apply = (edit: Edit, direction: Direction): boolean => {
    const values = valuesOf(edit, direction),
      isList = Object.keys(values).some(name => changesNames.test(name))
    if (isList && !form.elements.namedItem('changes')) return false
    const filled = fillFields(
      form,
      Object.fromEntries(Object.entries(values).filter(([name]) => !changesNames.test(name))),
    )
    if (!filled) return false
    isFilling = true
    if (isList)
      document.dispatchEvent(
        new CustomEvent('draft:changes', { detail: changesIn({ ...fields, ...values }) }),
      )
    history = moved(history, direction)
    fields = readFields(form)
    isFilling = false
    if (used) used.was = used.field.value
    wasTyped = false
    for (const control of filled) control.dispatchEvent(new Event('input', { bubbles: true }))
    form.dispatchEvent(new Event('draft:touched'))
    const shown = filled.find(control => control.type !== 'hidden')
    for (let part = shown?.closest('details'); part; part = part.parentElement?.closest('details'))
      part.open = true
    shown?.scrollIntoView({ block: 'nearest' })
    keep()
    show(`${done[direction]}: ${edit.label}`)
    return true
  }
  let isRestoring = false
  // The browser shows this same page again when the merchant goes back.
  addEventListener('pageshow', ({ persisted }) => void (isRestoring &&= !persisted), { signal })
  /** Submits the form with what only the server can restore; then the page is loaded again. */
  const restore = (edit: Edit, direction: Direction): void => {
    // A second press before the next page is there would send the version that the first replaces.
    if (isRestoring) return
    isRestoring = true
    const values = {
      act: `${stepOf(edit.at)}.restore:`,
      restore: edit.kept![direction === 'undo' ? 'before' : 'after'],
    }
    const button = document.createElement('button'),
      field = document.createElement('input')
    Object.assign(button, { name: 'act', value: values.act, hidden: true })
    Object.assign(field, { type: 'hidden', name: 'restore', value: values.restore })
    form.append(field, button)
    going = { edit: direction }
    form.requestSubmit(button)
  }

  document.addEventListener(
    'submit',
    event => {
      const act = actOf(event, form)
      if (!act) return
      look()
      // The dialog said that what is discarded cannot be restored.
      if (new FormData(event.target as HTMLFormElement).has('discard')) history = noHistory
      going ??= act
      keep()
    },
    { signal },
  )
  addEventListener(
    'pagehide',
    () => {
      look()
      keep()
    },
    { signal },
  )

  document.addEventListener(
    'focusin',
    ({ target }) => {
      used = isTextField(target) ? { field: target, was: target.value } : null
    },
    { signal },
  )
  if (isTextField(document.activeElement))
    used = { field: document.activeElement, was: document.activeElement.defaultValue }
  document.addEventListener(
    'keydown',
    event => {
      const direction = undoKeys(event)
      if (!direction || event.defaultPrevented || document.querySelector('dialog[open]')) return
      // The browser itself undoes, letter by letter, what was typed since the field got the focus.
      if (
        used?.field === event.target &&
        (direction === 'undo' ? used.field.value !== used.was : isRedoing)
      )
        return
      event.preventDefault()
      step(direction)
    },
    { signal },
  )
  if (arrival.isElsewhere) forget()
  look()
  const next = arrival.done ?? arrival.edit,
    edit = next && nextEdit(history, next)
  if (arrival.done && edit) {
    history = moved(history, arrival.done)
    fields = readFields(form)
  }
  if (arrival.edit && edit && !apply(edit, arrival.edit))
    history = { ...history, [arrival.edit === 'undo' ? 'past' : 'future']: [] }
  keep()
  show(edit ? `${done[next!]}: ${edit.label}` : arrival.isElsewhere ? elsewhere : undefined)
  if (edit) showToast(`${done[next!]}: ${edit.label}`, 'plain')
  return {
    step,
    end: () => {
      keep()
      ending.abort()
    },
  }
}
