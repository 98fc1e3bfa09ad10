/**
 * Changes in many files of a theme are reported one by one, and lead to a single request.
 * Milliseconds.
 */
const gathered = 300

let soon: ReturnType<typeof setTimeout> | undefined
/**
 * Redraws the bar and the navigation of an open page soon after something in the store has changed.
 * This module is loaded with the first such change.
 */
export function refreshSoon(): void {
  clearTimeout(soon)
  soon = setTimeout(() => void refresh(), gathered * (1 + Math.random()))
}

let refreshes = 0,
  newest = 0
/**
 * Fetches and redraws the bar and the navigation. The content may be a half-filled form, so it
 * stays.
 */
async function refresh(): Promise<void> {
  const { href } = location,
    mine = ++refreshes
  const response = await fetch(href, {
    headers: { 'hx-request': 'true', 'hx-request-type': 'partial', 'hx-current-url': href },
  }).catch(() => null)
  if (response?.status !== 200) return
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
  // A slow answer may be older than one that came before it. It may also be about a page that was
  // left meanwhile.
  if (mine < newest) return
  newest = mine
  if (location.href !== href) return refreshSoon()
  for (const part of ['.topbar', '.sidenav']) {
    const old = document.querySelector(part),
      now = fresh.querySelector(part)
    if (!old || !now || old.outerHTML === now.outerHTML) continue
    // Nobody must lose the focus.
    if (old.contains(document.activeElement))
      old.addEventListener('focusout', refreshSoon, { once: true })
    else old.replaceWith(now)
  }
}
