/** null without such a cookie, and where cookies are blocked. */
export function readCookie(name: string): string | null {
  try {
    return decodeURIComponent(document.cookie.match(`(?:^|; )${name}=([^;]*)`)![1]!)
  } catch {
    return null
  }
}

/** null too where the browser blocks the area. */
export function readArea(area: 'localStorage' | 'sessionStorage', key: string): string | null {
  try {
    return window[area].getItem(key)
  } catch {
    return null
  }
}
