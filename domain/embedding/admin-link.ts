/**
 * What a platform's part (`AdminScript`) offers a page under `window.adminLink`, so that no other
 * script of ours knows which platform's admin frames it.
 */
export type AdminLink = {
  /** A fresh one-minute token of the merchant. Rejects when the admin gives none. */
  idToken: () => Promise<string>
}

declare global {
  interface Window {
    adminLink?: AdminLink
  }
}

/** Event of the document: whether all that is typed in the editor is stored. */
export const unsavedEvent = 'draft:unsaved'
/** Detail of that event. `save` stores it now, `discard` shows what is stored. */
export type Unsaved = { isUnsaved: boolean; save: () => void; discard: () => void }
