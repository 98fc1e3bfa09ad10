/** Where the merchant is, as far as htmx goes: an address that Back leads to is in the bar before its page is there. */
let path = location.pathname
const arrivals: (() => void)[] = []

/** Calls back after each navigation that htmx made: another path, not the same page in another order. A page that was loaded is one already. */
export function onNavigation(arrived: () => void): void {
  arrivals.push(arrived)
}

export function watchNavigation(): void {
  document.addEventListener('htmx:config:request', event => {
    const { request } = (
      event as CustomEvent<{ ctx: { request: { headers: Record<string, string> } } }>
    ).detail.ctx
    // Otherwise the server takes the page that Back leads to for the one it was asked from.
    if (request.headers['HX-History-Restore-Request'])
      request.headers['HX-Current-URL'] = location.origin + path
  })
  document.addEventListener('htmx:after:swap', () => {
    if (location.pathname === path) return
    path = location.pathname
    for (const arrived of arrivals) arrived()
  })
}
