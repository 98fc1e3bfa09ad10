import type { Save } from './autosave-form.ts'

declare global {
  interface Window {
    /**
     * Saves by `leftKey`, where the browser denies storage to a frame without cookies. There one
     * document shows every page (decision 075), so its window keeps them long enough.
     */
    draftsLeft?: Record<string, string>
  }
}
const leftKey = (form: HTMLFormElement): string => `left.${new URL(form.action).pathname}`
/**
 * Stores the save that is sent while the page is being left. The next page may be drawn before the
 * server has stored that save, and would show the old text. So the next page takes this note and
 * sends the same save again; the server recognises it.
 */
export function noteLeft(form: HTMLFormElement, save: Save): void {
  const note = JSON.stringify(save)
  try {
    sessionStorage.setItem(leftKey(form), note)
  } catch {
    window.draftsLeft = { ...window.draftsLeft, [leftKey(form)]: note }
  }
}
export function takeLeft(form: HTMLFormElement): Save | null {
  const key = leftKey(form)
  let note: string | null | undefined
  try {
    note = sessionStorage.getItem(key)
    sessionStorage.removeItem(key)
  } catch {
    note = window.draftsLeft?.[key]
    delete window.draftsLeft?.[key]
  }
  try {
    return JSON.parse(note ?? 'null') as Save | null
  } catch {
    return null
  }
}
