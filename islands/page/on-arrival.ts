/** What a page wants of the browser as soon as it is there. Without scripts its own controls do as well. */
export function onArrival(): void {
  // A dialog that the server has opened becomes a modal one: the focus stays in it, and Escape closes it.
  for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[open]')) {
    dialog.open = false
    dialog.showModal()
    dialog.addEventListener('close', () => forget(dialog), { once: true })
  }
  // Leads out of the frame, to a page that may not stand in one.
  document.querySelector<HTMLAnchorElement>('a[data-follow]')?.click()
}

/** What asked for the dialog goes from the address, or loading the page again would open it again. `data-asks`: parameters that were its alone. */
function forget({ dataset: { asks = '' } }: HTMLDialogElement): void {
  const address = new URL(location.href)
  if (!address.searchParams.has('ask')) return
  for (const name of ['ask', ...asks.split(' ')]) address.searchParams.delete(name)
  history.replaceState(history.state, '', address)
}
