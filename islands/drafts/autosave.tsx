/** @jsxImportSource react */
import { useEffect, useRef, useState } from 'react'
import {
  type Answer,
  dirtyState,
  isTooLongToKeep,
  notify,
  pageName,
  post,
  refresh,
  saveOf,
  sign,
  tell,
  versionField,
} from './autosave-form.ts'
import { noteLeft, takeLeft } from './left-note.ts'
import { type Unsaved, unsavedEvent } from '../../domain/embedding/admin-link.ts'
import { Icon } from '../icon.tsx'

export type AutosaveProps = {
  /** Id of the form whose fields are saved. */
  form: string
  version: number
  /** When the draft was last saved, by the shop's clock. */
  at: string
  /** How many messages the fields of this page show. */
  problems: number
  /** Whether the fields of this page are those of the stored draft. */
  isStored: boolean
}
type State =
  | { is: 'saved' | 'saving'; at: string }
  | { is: 'refused'; count: number }
  | { is: 'failed'; why: string }
  | { is: 'conflict'; version: number; at: string }

/** Pause after the last key before the fields are saved. Milliseconds. */
const rest = 800

/**
 * Shows whether the editor's fields are stored, and stores them: after a pause in typing, and when
 * the page is left. Without a script the Save button does all of that. It never overwrites what
 * somebody else saved, unless the merchant chooses that here.
 */
export function Autosave({ form: id, at, problems, isStored }: AutosaveProps) {
  const [state, setState] = useState<State>(
    problems > 0 ? { is: 'refused', count: problems } : { is: 'saved', at },
  )
  const saver = useRef<{
    save: () => Promise<void>
    keepMine: (version: number) => void
    loadTheirs: () => void
  }>(null)

  useEffect(() => {
    const form = document.getElementById(id) as HTMLFormElement | null
    if (!form) return
    let timer: ReturnType<typeof setTimeout> | undefined,
      flight: Promise<void> | null = null
    // `isHeld`: something typed is not stored, and will not be without the merchant. `isGoing`: the
    // merchant leaves the page by a button that settles what is stored.
    let isHalted = false,
      isHeld = !isStored,
      isGoing = false,
      lastAt = at,
      turn = 0,
      answered = 0,
      pace = rest,
      sending: string | null = null
    const state = dirtyState(form),
      page = pageName()
    // The editor's history recognises its own saves by this name.
    form.dataset['page'] = page

    /** The admin may offer to save or discard what is not stored yet. */
    const tellUnsaved = (isUnsaved: boolean): void => {
      const detail: Unsaved = {
        isUnsaved,
        save: () => void save(),
        discard: () => saver.current?.loadTheirs(),
      }
      document.dispatchEvent(new CustomEvent(unsavedEvent, { detail }))
    }
    const take = (answer: Answer, sent: string, mine: number, isLeft: boolean): void => {
      // A later save has been answered already.
      if (mine < answered) return
      answered = mine
      isHeld = answer.done !== 'saved'
      if (answer.done === 'conflict') {
        isHalted = true
        document.dispatchEvent(new Event('draft:conflict'))
        // The page itself asks which of the two to keep.
        tellUnsaved(false)
        return setState({ is: 'conflict', version: answer.version, at: answer.at })
      }
      if (answer.done === 'failed') return setState({ is: 'failed', why: answer.why })
      versionField(form).value = String(answer.version)
      tell(form, answer.problems ?? [])
      if (answer.done === 'refused') {
        state.refused(sent)
        return setState({ is: 'refused', count: answer.problems.length })
      }
      state.stored(sent)
      // The note is about the newest save, and the answer to an earlier save may arrive while the
      // page is being left. A save that was sent while leaving keeps its note: the next page may
      // have been drawn before that save was stored.
      if (mine === turn && !isLeft) takeLeft(form)
      lastAt = answer.at
      tellUnsaved(isUnstored())
      setState({ is: 'saved', at: answer.at })
      void refresh(form)
    }
    /**
     * Runs one save at a time; what was typed meanwhile is saved after it. Only a page that is
     * being left does not wait: the server recognises the page and takes this save after its last
     * one. `hidden`: the page may be gone before there is an answer.
     */
    const save = async (when: 'rested' | 'hidden' | 'left' = 'rested'): Promise<void> => {
      clearTimeout(timer)
      if (isHalted) return
      if (flight && when !== 'left') {
        await flight
        return state.isDirty() ? save(when) : undefined
      }
      const sent = state.now(),
        mine = ++turn
      setState({ is: 'saving', at: lastAt })
      const saving = saveOf(form, sent, `${page}.${mine}`)
      if (when === 'left') noteLeft(form, saving)
      sending = sent
      const own = post(saving, when !== 'rested')
        .then(answer => take(answer, sent, mine, when === 'left'))
        .finally(() => {
          if (flight === own) flight = sending = null
        })
      flight = own
      await own
    }
    // While a save runs, the merchant may type the stored values again. The running save will
    // replace them in the store, so they count as not stored.
    const isUnstored = (): boolean =>
      state.isDirty() || (sending !== null && sending !== state.now())
    const touched = (): void => {
      if (isHalted || !isUnstored()) return
      tellUnsaved(true)
      clearTimeout(timer)
      state.isSent = isGoing = false
      timer = setTimeout(() => void save(), pace)
    }
    const leave = (): void => {
      if (!isHalted && isUnstored() && !state.isSent) {
        state.isSent = true
        void save('left')
      }
    }
    const mustAsk = (): boolean =>
      !isGoing && (isHeld || (state.isDirty() && isTooLongToKeep(state.now())))
    const seen = (): void => {
      if (document.visibilityState !== 'hidden') state.isSent = false
      else if (isUnstored() && !state.isSent) void save('hidden')
    }
    /** Waits for a running save, which gives the draft another version than the form would send. */
    const submitted = (event: SubmitEvent): void => {
      clearTimeout(timer)
      if (!flight) {
        state.isSent = isGoing = true
        sign(form, `${page}.${++turn}`)
        // The answer may take long. What is typed until then is stored at once, before the next
        // page is drawn.
        pace = 0
        return
      }
      event.preventDefault()
      void flight.then(() => form.requestSubmit(event.submitter))
    }
    const online = (): void => {
      if (state.isDirty()) void save()
    }

    saver.current = {
      save: () => save(),
      keepMine: version => {
        isHalted = false
        versionField(form).value = String(version)
        void save()
      },
      loadTheirs: () => {
        isHalted = isGoing = true
        location.assign(form.action)
      },
    }
    const left = takeLeft(form)
    if (left)
      flight = post(left, false).then(answer => {
        flight = null
        if (answer.done !== 'saved' || String(answer.version) === versionField(form).value) return
        // This page was drawn before that save was stored, so it is loaded again. What the merchant
        // has typed here already is never overwritten without asking.
        if (state.isDirty()) return touched()
        // Text that is typed now would be lost with this page.
        isHalted = form.inert = true
        setState({ is: 'saving', at: lastAt })
        location.reload()
      })
    const untie = notify(form, { touched, leave, mustAsk, seen, submitted, online })
    touched()
    return () => {
      clearTimeout(timer)
      leave()
      untie()
    }
  }, [id])

  switch (state.is) {
    case 'saved':
      return (
        <span className="saved" role="status">
          <Icon name="check" />
          Saved {state.at}
        </span>
      )
    case 'saving':
      return (
        <span className="saved" role="status">
          Saving…
        </span>
      )
    case 'refused':
      return (
        <span className="saved" data-tone="bad" role="alert">
          <span className="tone">
            <Icon name="warning" />
          </span>
          {state.count === 1 ? '1 field to fix' : `${state.count} fields to fix`}
        </span>
      )
    case 'failed':
      return (
        <span className="saved saved-conflict" data-tone="bad" role="alert">
          <span className="tone">
            <Icon name="warning" />
          </span>
          <span>
            Not saved: {state.why}{' '}
            <button className="link" type="button" onClick={() => void saver.current?.save()}>
              Try again
            </button>
          </span>
        </span>
      )
    case 'conflict':
      return (
        <span className="saved saved-conflict" data-tone="warn" role="alert">
          <span className="tone">
            <Icon name="warning" />
          </span>
          <span>
            Saved elsewhere at {state.at}; yours is not saved.{' '}
            <button className="link" type="button" onClick={() => saver.current?.loadTheirs()}>
              Load theirs
            </button>{' '}
            or{' '}
            <button
              className="link"
              type="button"
              onClick={() => saver.current?.keepMine(state.version)}
            >
              keep mine
            </button>
          </span>
        </span>
      )
  }
}
