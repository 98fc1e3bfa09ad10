/**
 * What a page does as soon as it is loaded. Without scripts its own controls do the same. `adopt`
 * gets the dialogs that the server has opened.
 */
export function onArrival(adopt: (dialog: HTMLDialogElement) => void): void {
  // They become modal at once, before a field below gets the focus.
  for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[open]')) {
    dialog.open = false
    dialog.showModal()
    adopt(dialog)
  }
  // This link leads out of the frame, to a page that may not be shown in a frame.
  document.querySelector<HTMLAnchorElement>('a[data-follow]')?.click()
}
