import { useEffect, useRef, useState } from 'react'
import { type Answer, dirtyState, notify, post, refresh, tell } from './autosave-form.ts'
import { Icon } from './icon.tsx'

export type AutosaveProps = {
  /** Id of the form whose fields are saved. */
  form: string
  version: number
  /** When the draft was last saved, by the shop's clock. */
  at: string
  /** Messages that stand at fields of this page already. */
  problems: number
}
type State =
  | { is: 'saved' | 'saving'; at: string }
  | { is: 'refused'; count: number }
  | { is: 'failed'; why: string }
  | { is: 'conflict'; version: number; at: string }

/** Rest after the last key before it is saved. Milliseconds. */
const rest = 800

/**
 * Whether what stands in the editor is stored, and the storing of it: after a rest in typing and when the page is left.
 * Without a script the Save button does all of that. Nothing is ever put in place of what somebody else saved unless
 * that is chosen here.
 */
export function Autosave({ form: id, at, problems }: AutosaveProps) {
  const [state, setState] = useState<State>(problems > 0 ? { is: 'refused', count: problems } : { is: 'saved', at })
  const saver = useRef<{ save: () => Promise<void>; keepMine: (version: number) => void; loadTheirs: () => void }>(null)

  useEffect(() => {
    const form = document.getElementById(id) as HTMLFormElement | null
    if (!form) return
    let timer: ReturnType<typeof setTimeout> | undefined, flight: Promise<void> | null = null
    let isHalted = false, lastAt = at
    const state = dirtyState(form)

    const take = (answer: Answer, sent: string): void => {
      if (answer.done === 'conflict') {
        isHalted = true
        return setState({ is: 'conflict', version: answer.version, at: answer.at })
      }
      if (answer.done === 'failed') return setState({ is: 'failed', why: answer.why })
      ;(form.elements.namedItem('version') as HTMLInputElement).value = String(answer.version)
      tell(form, answer.done === 'refused' ? answer.problems : [])
      if (answer.done === 'refused') { state.refused(sent); return setState({ is: 'refused', count: answer.problems.length }) }
      state.stored(sent)
      lastAt = answer.at
      setState({ is: 'saved', at: answer.at })
      void refresh(form)
    }
    /** One at a time; what was typed meanwhile goes after it. `isLeaving`: the page may be gone before there is an answer. */
    const save = async (isLeaving = false): Promise<void> => {
      clearTimeout(timer)
      if (isHalted) return
      if (flight && !isLeaving) { await flight; return state.isDirty() ? save() : undefined }
      const sent = state.now()
      setState({ is: 'saving', at: lastAt })
      flight = post(form, sent, isLeaving).then(answer => take(answer, sent)).finally(() => { flight = null })
      await flight
    }
    const touched = (): void => {
      if (isHalted || !state.isDirty()) return
      clearTimeout(timer)
      state.isSent = false
      timer = setTimeout(() => void save(), rest)
    }
    const leave = (): void => { if (!isHalted && state.isDirty() && !state.isSent) { state.isSent = true; void save(true) } }
    const seen = (): void => { state.isSent = false; if (document.visibilityState === 'hidden') leave() }
    /** A save under way gives the draft another version than the form would be sent with. */
    const submitted = (event: SubmitEvent): void => {
      clearTimeout(timer)
      if (!flight) { state.isSent = true; return }
      event.preventDefault()
      void flight.then(() => form.requestSubmit(event.submitter))
    }
    const online = (): void => { if (state.isDirty()) void save() }

    saver.current = {
      save: () => save(),
      keepMine: version => {
        isHalted = false;
        (form.elements.namedItem('version') as HTMLInputElement).value = String(version)
        void save()
      },
      loadTheirs: () => { isHalted = true; location.assign(form.action) },
    }
    const untie = notify(form, { touched, leave, seen, submitted, online })
    return () => { clearTimeout(timer); leave(); untie() }
  }, [id])

  switch (state.is) {
    case 'saved': return <span className="saved" role="status"><Icon name="check" />Saved {state.at}</span>
    case 'saving': return <span className="saved" role="status">Saving…</span>
    case 'refused': return <span className="saved" data-tone="bad" role="alert"><span className="tone"><Icon name="warning" /></span>{state.count === 1 ? '1 thing to mend' : `${state.count} things to mend`}</span>
    case 'failed': return (
      <span className="saved saved-conflict" data-tone="bad" role="alert"><span className="tone"><Icon name="warning" /></span><span>Not saved: {state.why} <button className="link" type="button" onClick={() => void saver.current?.save()}>Try again</button></span>
      </span>
    )
    case 'conflict': return (
      <span className="saved saved-conflict" data-tone="warn" role="alert"><span className="tone"><Icon name="warning" /></span>
        <span>Saved elsewhere at {state.at}; yours is not saved. <button className="link" type="button" onClick={() => saver.current?.loadTheirs()}>Load theirs</button> or <button className="link" type="button" onClick={() => saver.current?.keepMine(state.version)}>keep mine</button></span>
      </span>
    )
  }
}
