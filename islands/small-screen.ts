const dismissed = 'small-screen-dismissed'

/** The note for small screens, gone when it was dismissed until the next visit. */
export function watchSmallScreen(): void {
  const root = document.documentElement
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element && target.closest('.small-screen button'))) return
    root.dataset.dismissed = ''
    // A browser that keeps nothing for a frame of another site says so by throwing.
    try { sessionStorage.setItem(dismissed, '1') } catch { /* then it is dismissed on this page alone */ }
  })
  try { if (sessionStorage.getItem(dismissed)) root.dataset.dismissed = '' } catch { /* nothing was kept */ }
}
