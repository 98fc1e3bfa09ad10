/** The in-app guidance tool looks again after each navigation (requirements 3.7): its script's tag names the function to call. */
export function watchGuidance(
  script: HTMLScriptElement,
  onNavigation: (arrived: () => void) => void,
): void {
  const path = (script.dataset.reload ?? '').split('.')
  const reload = () => {
    let owner: unknown,
      found: unknown = window
    for (const name of path)
      [owner, found] = [found, (found as Record<string, unknown> | null | undefined)?.[name]]
    if (typeof found !== 'function') return false
    // What it does wrong is its own affair.
    try {
      found.call(owner)
    } catch (error) {
      console.warn('guidance', error)
    }
    return true
  }
  // It may have been faster than this script.
  if (!reload()) script.addEventListener('load', reload, { once: true })
  onNavigation(reload)
}
