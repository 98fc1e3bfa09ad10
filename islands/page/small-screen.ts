/** The notice for small screens goes at once, and nothing that was typed with it: the browser is only told to remember. */
export function watchSmallScreen(): void {
  document.addEventListener('submit', event => {
    const form = event.target as HTMLFormElement,
      note = form.closest('.small-screen')
    if (!note) return
    event.preventDefault()
    note.remove()
    void fetch(form.action, { method: 'POST', redirect: 'manual', keepalive: true }).catch(() => {
      /* then it is there again on the next page */
    })
  })
}
