import { type Control, isTouched } from '../page/touched.ts'

/** A dialog of the server that the modal island has adopted. */
export type Adopted = {
  /** The server sent it open: the address asked for it. */
  isArrived: boolean
  /** The address with which it was adopted. */
  address: string
  /** Controls that were used, also those that htmx has replaced since. */
  used: Set<Control>
}

/** Controls that hold something to save. A search only looks something up. */
const controls = ':is(input, select, textarea):not([type=hidden], [type=search], :disabled)'

/**
 * Whether closing the dialog would lose something: a control has another value than the server
 * drew, a replaced one had, or the server drew what was typed because it refused the form.
 */
export function isUnsaved(dialog: HTMLDialogElement, { isArrived, used }: Adopted): boolean {
  const here = [...dialog.querySelectorAll<Control>(controls)]
  return (
    here.some(isTouched) ||
    [...used].some(control => !control.isConnected && isTouched(control)) ||
    (isArrived && isPosted() && here.length > 0)
  )
}

export const isPosted = (): boolean => 'posted' in document.documentElement.dataset

/** What `event` says was used, if it counts. */
export const usedIn = ({ target }: Event): Control | null =>
  target instanceof Element && target.matches(controls) ? (target as Control) : null

/** The link that closes the dialog. It names the address of the page without the dialog. */
export const closerOf = (dialog: HTMLDialogElement): HTMLAnchorElement | null =>
  dialog.querySelector<HTMLAnchorElement>('a[data-close]')

/**
 * The link that led to a dialog that the server opened: the one with this address, or else one that
 * names the dialog, or else what the address of the page points at. A link in a closed menu cannot
 * have the focus, so the menu gets it.
 */
export function openerOf({ id }: HTMLDialogElement, address: string): HTMLElement | null {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('a[href*="ask="]')]
  const opener =
    links.find(link => link.href === address) ??
    document.querySelector<HTMLElement>(`[data-modal="${id}"]`) ??
    document.getElementById(location.hash.slice(1))
  return menuOf(opener)?.querySelector('summary') ?? opener
}

/** The menu around an element. */
export const menuOf = (element: Element | null): HTMLDetailsElement | null =>
  element?.closest<HTMLDetailsElement>('details.menu') ?? null
