/**
 * The path of the page that htmx shows. After Back, the address bar changes before the page is
 * there.
 */
let path = location.pathname
const arrivals: (() => void)[] = []

/**
 * Calls back after each navigation that htmx made to another path; not when the same page comes in
 * another order, and not for the first load.
 */
export function onNavigation(arrived: () => void): void {
  arrivals.push(arrived)
}

export function watchNavigation(): void {
  document.addEventListener('htmx:config:request', event => {
    const { request } = (
      event as CustomEvent<{ ctx: { request: { headers: Record<string, string> } } }>
    ).detail.ctx
    // Otherwise the server takes the page that Back leads to for the page that sent the request.
    if (request.headers['HX-History-Restore-Request'])
      request.headers['HX-Current-URL'] = location.origin + path
  })
  document.addEventListener('htmx:after:swap', () => {
    if (location.pathname === path) return
    path = location.pathname
    for (const arrived of arrivals) arrived()
  })
}
