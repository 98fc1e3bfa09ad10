/**
 * Starts the islands of the page. A parameter, so that the script that every page loads stays one
 * file.
 */
type Start = () => Promise<unknown>

/** Opens a dialog of this page. Rejects when the island cannot be loaded. */
export function openModal(dialog: HTMLElement, opener: HTMLElement, start: Start): Promise<void> {
  // Safari does not focus what is clicked. The dialog gives the focus back to what has it now.
  opener.focus()
  return hand(dialog, false, start)
}

/**
 * Hands a dialog to the island that makes it modal (islands/modal/modal.tsx). The island is added
 * to the page with the first dialog.
 */
export async function hand(dialog: HTMLElement, isArrived: boolean, start: Start): Promise<void> {
  if (!document.querySelector('[data-island=modal]')) {
    document.body.insertAdjacentHTML(
      'beforeend',
      '<div id="modal" data-island="modal" hx-ignore></div><script type="application/json">{}</script>',
    )
    // It must not take a place in the page's grid.
    document.getElementById('modal')!.style.display = 'contents'
  }
  await start().catch((error: unknown) => {
    // Another island may be what is missing.
    if (!document.querySelector('[data-island=modal][data-alive]')) throw error
  })
  dialog.dispatchEvent(new CustomEvent('modal:open', { bubbles: true, detail: isArrived }))
}
