/** Many files of a theme are told about one by one: all of them are one look at the store. Milliseconds. */
const gathered = 300

let soon: ReturnType<typeof setTimeout> | undefined
/** The bar and the navigation of an open page, after something of the store has changed. Loaded with the first such change. */
export function refreshSoon(): void {
  clearTimeout(soon)
  soon = setTimeout(() => void refresh(), gathered * (1 + Math.random()))
}

let refreshes = 0,
  newest = 0
/** The bar and the navigation as they are now. The content may be a half-filled form and stays. */
async function refresh(): Promise<void> {
  const { href } = location,
    mine = ++refreshes
  const response = await fetch(href, {
    headers: { 'hx-request': 'true', 'hx-request-type': 'partial', 'hx-current-url': href },
  }).catch(() => null)
  if (response?.status !== 200) return
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
  // An answer that is slow says what was, and of a page that was left meanwhile, where one is not.
  if (mine < newest) return
  newest = mine
  if (location.href !== href) return refreshSoon()
  for (const part of ['.topbar', '.sidenav']) {
    const old = document.querySelector(part),
      now = fresh.querySelector(part)
    if (!old || !now || old.outerHTML === now.outerHTML) continue
    // Nobody loses the place they are at.
    if (old.contains(document.activeElement))
      old.addEventListener('focusout', refreshSoon, { once: true })
    else old.replaceWith(now)
  }
}
