import {
  readPageMessage,
  sealed,
  type EditorMessage,
  type PageMessage,
  type Place,
} from '../../../domain/drafts/picker-message.ts'
import type { ScriptChange } from '../../../domain/script/script-config.ts'

export type Session = {
  /** The frame's or the other window's; null while there is none. */
  look: (at: Window | null) => void
  send: (message: EditorMessage) => void
  isAlive: () => boolean
  close: () => void
}
type Heard = {
  /** What the page is to show, asked each time it has loaded. */
  changes: () => ScriptChange[] | null
  /** Where it is to stand, likewise. */
  place: () => Place | null
  /** The page has loaded and listens. */
  onAlive: () => void
  onMessage: (message: Exclude<PageMessage, { type: 'ready' }>) => void
}

/**
 * The editor's side of the talk with one window that shows the shop's page. Only that window is heard, only while it
 * shows the shop's own origin, and only with the nonce that it was given when its page loaded; what it says is data, shown as
 * text and obeyed by nobody, except for the keys of undo.
 */
export function openSession(
  origin: string,
  { changes, place, onAlive, onMessage }: Heard,
): Session {
  let target: Window | null = null
  let nonce = '',
    page = '',
    given: Extract<EditorMessage, { type: 'begin' }> | null = null
  const send = (message: EditorMessage): void => {
    if (target && nonce) target.postMessage(sealed(message, nonce), origin)
    // The page is on its way out: what it still says, or is told, is of nothing that stays.
    if (message.type === 'apply') nonce = ''
  }
  const hear = (event: MessageEvent): void => {
    if (!target || event.source !== target || event.origin !== origin) return
    const message = readPageMessage(event.data)
    if (!message) return
    if (message.type === 'ready') {
      if (message.nonce !== '') return
      // It says so until the answer has arrived: asked twice by one page, the answer is the same, and nothing that was begun begins again.
      const isNew = !nonce || message.page !== page
      if (isNew) {
        nonce = newNonce()
        given = { type: 'begin', changes: changes(), at: place() }
      }
      page = message.page
      send(given!)
      return isNew ? onAlive() : undefined
    }
    if (nonce && message.nonce === nonce) onMessage(message)
  }
  addEventListener('message', hear)
  return {
    look: at => {
      if (at === target) return
      target = at
      nonce = ''
    },
    send,
    isAlive: () => nonce !== '' && target !== null && !target.closed,
    close: () => removeEventListener('message', hear),
  }
}

const newNonce = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map(byte => byte.toString(16).padStart(2, '0'))
    .join('')
