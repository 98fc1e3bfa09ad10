/** What a page does as soon as it is loaded. Without scripts its own controls do the same. */
export function onArrival(): void {
  // A dialog that the server has opened becomes a modal one: the focus stays in it, and Escape
  // closes it.
  for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[open]')) {
    dialog.open = false
    dialog.showModal()
    dialog.addEventListener('close', () => forget(dialog), { once: true })
  }
  // This link leads out of the frame, to a page that may not be shown in a frame.
  document.querySelector<HTMLAnchorElement>('a[data-follow]')?.click()
}

/**
 * Removes what asked for the dialog from the address; otherwise loading the page again would open
 * it again. `data-asks`: further parameters that only the dialog used.
 */
function forget({ dataset: { asks = '' } }: HTMLDialogElement): void {
  const address = new URL(location.href)
  if (!address.searchParams.has('ask')) return
  for (const name of ['ask', ...asks.split(' ')]) address.searchParams.delete(name)
  history.replaceState(history.state, '', address)
}
