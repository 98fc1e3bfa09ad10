/**
 * Removes the notice for small screens at once, without loading the page, so that nothing typed is
 * lost. The request only makes the browser remember it.
 */
export function watchSmallScreen(): void {
  document.addEventListener('submit', event => {
    const form = event.target as HTMLFormElement,
      note = form.closest('.small-screen')
    if (!note) return
    event.preventDefault()
    note.remove()
    void fetch(form.action, { method: 'POST', redirect: 'manual', keepalive: true }).catch(() => {
      /* then the notice is there again on the next page */
    })
  })
}
