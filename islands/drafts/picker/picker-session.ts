import {
  readPageMessage,
  sealed,
  type EditorMessage,
  type PageMessage,
  type Place,
} from '../../../domain/drafts/picker-message.ts'
import type { ScriptChange } from '../../../domain/script/script-config.ts'

export type Session = {
  /**
   * Sets the window to exchange messages with: the frame's or a separate one; null while there is
   * none.
   */
  look: (at: Window | null) => void
  send: (message: EditorMessage) => void
  isAlive: () => boolean
  close: () => void
}
type Heard = {
  /** The changes that the page must show; called each time the page has loaded. */
  changes: () => ScriptChange[] | null
  /** Where the page must be scrolled to; called likewise. */
  place: () => Place | null
  /** The page has loaded and listens. */
  onAlive: () => void
  onMessage: (message: Exclude<PageMessage, { type: 'ready' }>) => void
}

/**
 * The editor's side of the messages with one window that shows the shop's page. It accepts messages
 * only from that window, only while the window shows the shop's own origin, and only with the nonce
 * that the page got when it loaded. A message is data: it is shown as text and never obeyed, except
 * for the keys of undo.
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
    // The page will be loaded again, so messages from it or to it no longer matter.
    if (message.type === 'apply') nonce = ''
  }
  const hear = (event: MessageEvent): void => {
    if (!target || event.source !== target || event.origin !== origin) return
    const message = readPageMessage(event.data)
    if (!message) return
    if (message.type === 'ready') {
      if (message.nonce !== '') return
      // The page repeats this until the answer has arrived. When one page asks twice, it gets the
      // same answer, and nothing starts twice.
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
