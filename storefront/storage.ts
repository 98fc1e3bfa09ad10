type Box = Record<string, string>

/**
 * Local storage. Where the browser blocks it or it is full: an object that lives as long as the
 * page.
 */
let box: Box = {}
/** Whether what is written into the box survives the page. */
export let isLasting = false
try {
  // null in web views that were given no storage
  const found = window.localStorage as Storage | null
  if (found) {
    box = found as unknown as Box
    isLasting = true
  }
} catch {
  /* blocked */
}

export const read = (key: string): string | undefined => box[key]
export const keys = (prefix: string): string[] =>
  Object.keys(box).filter(key => key.startsWith(prefix))
export const remove = (key: string): boolean => delete box[key]
export function write(key: string, value: string): void {
  try {
    box[key] = value
  } catch {
    // The stored value is out of date now, so the next page must not read it.
    remove(key)
    box = { [key]: value }
    isLasting = false
  }
}

/**
 * Returns nothing when there is no such cookie, and when cookies are blocked. A first visit has no
 * cookie, so that is not left to the exception: one is slow.
 */
export function readCookie(name: string): string | undefined {
  try {
    return decodeURIComponent(
      `; ${document.cookie}; ${name}=`.split(`; ${name}=`)[1]!.split(';')[0]!,
    )
  } catch {
    /* none, or not ours to read */
  }
}
