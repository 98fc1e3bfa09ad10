/**
 * The in-app guidance tool must look again after each navigation (requirements 3.7). The tag of its
 * script names the function to call.
 */
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
    // An error of the tool must not break the page.
    try {
      found.call(owner)
    } catch (error) {
      console.warn('guidance', error)
    }
    return true
  }
  // The tool may have loaded before this script.
  if (!reload()) script.addEventListener('load', reload, { once: true })
  onNavigation(reload)
}
