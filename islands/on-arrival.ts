/** What a page wants of the browser as soon as it is there. Without scripts its own controls do as well. */
export function onArrival(): void {
  // A dialog that the server has opened becomes a modal one: the focus stays in it, and Escape closes it.
  for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[open]')) {
    dialog.open = false
    dialog.showModal()
  }
  // Leads out of the frame, to a page that may not stand in one.
  document.querySelector<HTMLAnchorElement>('a[data-follow]')?.click()
}
