/** The browser's own print, which also makes a PDF. A button asks for it; the page then says when it was printed. */
export function watchPrint(): void {
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
