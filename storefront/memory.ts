import { visitorLife, type VisitorMemory } from './core.ts'
import { guarded } from './guard.ts'
import { readArea, readCookie } from './storage.ts'

/**
 * Local storage holds all that is known of the visitor; a cookie of the same name their id, so that either outlives
 * the other's clearing. Where local storage is blocked the cookie holds everything; where both are, the page does.
 */
const key = '_ts'
let current: VisitorMemory | null = null

/** What this browser knows of its visitor. Read anew each time, since other tabs write it too. */
export const recall = (): VisitorMemory | null => (current = parse(readArea('localStorage', key)) ?? current ?? parse(readCookie(key)))

export function keep(memory: VisitorMemory): void {
  const { visitor, born } = (current = memory)
  const all = JSON.stringify(memory)
  let cookie = JSON.stringify({ visitor, born, tests: {} })
  try {
    localStorage.setItem(key, all)
  } catch {
    cookie = all
  }
  if (readCookie(key) !== cookie) writeCookie(cookie, (born + visitorLife - Date.now()) / 1000)
}

/** Whether the next page will know this visitor. */
export const isKept = (): boolean => !!(readArea('localStorage', key) ?? readCookie(key))

export function forgetVisitor(): void {
  current = null
  if (readCookie(key)) writeCookie('', 0)
  guarded(() => localStorage.removeItem(key))()
}

// Throws in a sandboxed frame, where nothing can be kept.
const writeCookie = guarded((value: string, seconds: number) => {
  document.cookie = `${key}=${encodeURIComponent(value)};path=/;max-age=${seconds | 0};samesite=lax${location.protocol === 'https:' ? ';secure' : ''}`
})

function parse(text: string | null): VisitorMemory | null {
  try {
    const found = JSON.parse(text!) as VisitorMemory
    return /^[\w-]{8,64}$/.test(found.visitor) && found.born && found.tests ? found : null
  } catch {
    return null
  }
}
