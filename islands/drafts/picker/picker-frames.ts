import { useEffect, useRef, useState, type RefObject } from 'react'
import { isComplete } from '../../../domain/drafts/change-kind.ts'
import type { ScriptChange } from '../../../domain/script/script-config.ts'
import { refusedParts } from '../change-refused.ts'
import { openSession, type Session } from './picker-session.ts'
import { picker, usePicker } from './picker-store.ts'
import type { SharedPlace } from './preview-place.ts'

/**
 * How long a page may take to answer before the merchant is told that it does not. Milliseconds.
 */
const timeout = 5000
/**
 * Pauses after the last key: before the page is asked what the selectors find, and before the page
 * is loaded again. Milliseconds.
 */
const countRest = 250,
  rest = 600
const loadsAtMost = 2

/**
 * The changes that the page must show, without those that are incomplete or would be refused. null:
 * the page's own, saved changes.
 */
function shownChanges(): ScriptChange[] | null {
  const { changes, found } = picker.now()
  return (
    changes?.filter(
      change => isComplete(change) && Object.keys(refusedParts(change, found)).length === 0,
    ) ?? null
  )
}

export type Frames = {
  /** The frame, or the separate window, has not answered in time. */
  isSilent: boolean
  label: string
  /** Exchanges messages with this window from now on. */
  look: (at: Window | null) => void
  send: Session['send']
}

/**
 * Keeps the page in the frame in step with the list of changes: it shows them as they are edited,
 * counts what their selectors find, and lets elements be picked.
 */
export function useFrames(
  origin: string,
  frame: RefObject<HTMLIFrameElement | null>,
  isShowing: boolean,
  place: SharedPlace,
): Frames {
  const session = useRef<Session>(null)
  const [isSilent, setSilent] = useState(false)
  const [label, setLabel] = useState('')
  const shown = useRef('')
  /**
   * Whether this page, or an earlier one in the same place, has answered. A page that is being
   * loaded again is only slow.
   */
  const hasAnswered = useRef(false)
  /** Whether messages are exchanged with a separate window, not with the frame. */
  const isBeside = useRef(false)
  const loads = useRef<{ of: ScriptChange[] | null; count: number }>({ of: null, count: 0 })
  const { changes, purpose, found, marked, shift, isAlive } = usePicker()

  useEffect(() => {
    const opened = openSession(origin, {
      changes: () => {
        const now = shownChanges()
        shown.current = JSON.stringify(now)
        return now
      },
      place: place.now,
      onAlive: () => {
        hasAnswered.current = true
        setSilent(false)
        picker.set({ isAlive: true })
        count(opened)
        if (picker.now().purpose) begin(opened)
      },
      onMessage: message => {
        if (message.type === 'outlined') setLabel(message.label)
        if (message.type === 'counted')
          picker.set({
            found: new Map([
              ...picker.now().found,
              ...message.found.map(each => [each.selector, each] as const),
            ]),
          })
        // Accept a pick only while something is being picked.
        if (message.type === 'picked' && picker.now().purpose) picker.picked(message.picked)
        if (message.type === 'described') picker.learn(message.picked, message.selector)
        if (message.type === 'moved') picker.moved(message.selector, message.picked, message.to)
        if (message.type === 'ended') picker.stop()
        // Accept keys only when the page has the focus, in the frame or in the separate window.
        if (
          message.type === 'pressed' &&
          (isBeside.current ? !document.hasFocus() : document.activeElement === frame.current)
        )
          document.dispatchEvent(new CustomEvent('draft:undo', { detail: message.keys }))
        if (message.type === 'scrolled') place.moved(opened, message.at)
      },
    })
    session.current = opened
    opened.look(frame.current!.contentWindow)
    const leave = place.join(opened)
    return () => {
      leave()
      opened.close()
      picker.set({ isAlive: false })
    }
  }, [origin])

  const [looked, setLooked] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => {
      if (!hasAnswered.current) setSilent(true)
    }, timeout)
    return () => clearTimeout(timer)
  }, [origin, looked])

  useEffect(() => {
    const timer = setTimeout(() => {
      if (session.current) count(session.current)
    }, countRest)
    return () => clearTimeout(timer)
  }, [changes])
  useEffect(() => {
    const timer = setTimeout(() => {
      // A merchant who is picking would have to begin again on the new page.
      if (
        !session.current?.isAlive() ||
        !isShowing ||
        purpose ||
        JSON.stringify(shownChanges()) === shown.current
      )
        return
      // Load once for the new changes and once for the new counts. A page whose counts never settle
      // must not be loaded endlessly.
      if (loads.current.of !== changes) loads.current = { of: changes, count: 0 }
      if (loads.current.count++ >= loadsAtMost) return
      session.current.send({ type: 'apply' })
      picker.set({ isAlive: false })
    }, rest)
    return () => clearTimeout(timer)
  }, [changes, found, isShowing, purpose])

  useEffect(() => {
    setLabel('')
    if (!session.current) return
    if (purpose) begin(session.current)
    else session.current.send({ type: 'picking', on: false })
  }, [purpose])

  const lastMarked = useRef('')
  useEffect(() => {
    if (!isAlive || purpose) return
    // A page that was only loaded again stays where it was scrolled to.
    session.current?.send({ type: 'mark', selector: marked, seek: marked !== lastMarked.current })
    lastMarked.current = marked
  }, [marked, isAlive, purpose])
  useEffect(() => {
    if (!shift) return
    session.current?.send({ type: 'shift', ...shift })
    picker.set({ shift: null })
  }, [shift])

  return {
    isSilent,
    label,
    look: at => {
      session.current?.look(at)
      isBeside.current = at !== null && at !== frame.current?.contentWindow
      hasAnswered.current = false
      picker.set({ isAlive: false })
      setSilent(false)
      setLooked(looked + 1)
    },
    send: message => session.current?.send(message),
  }
}

function begin(session: Session): void {
  session.send({ type: 'picking', on: true })
  // This gives the keys an element to begin at, and shows the merchant what picking looks like.
  session.send({ type: 'step', to: 'next' })
}

function count(session: Session): void {
  const selectors = (picker.now().changes ?? [])
    .flatMap(({ selector, kind, value }) => (kind === 'move' ? [selector, value] : [selector]))
    .filter(selector => selector.trim() !== '')
  if (selectors.length > 0) session.send({ type: 'count', selectors: [...new Set(selectors)] })
}
