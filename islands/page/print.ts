/** Set once the listeners are there: a document may show several pages. */
let isWatched = false

/**
 * Opens the browser's own print dialog, which can also make a PDF, when its button is pressed. The
 * page then says when it was printed.
 */
export function watchPrint(): void {
  if (isWatched) return
  isWatched = true
  document.addEventListener('click', event => {
    const button = (event.target as Element).closest('[data-print]')
    if (!button) return
    button.closest('details')?.removeAttribute('open')
    print()
  })
  addEventListener('beforeprint', () => {
    for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-printed]')) {
      time.textContent = new Intl.DateTimeFormat('en-GB', {
        timeZone: time.dataset.printed,
        dateStyle: 'medium',
        timeStyle: 'short',
      }).format(new Date())
    }
  })
}
