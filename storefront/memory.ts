import { visitorLife, type VisitorMemory } from './core.ts'
import { guarded } from './guard.ts'
import { isLasting, read, readCookie, write } from './storage.ts'

/**
 * Local storage holds all that is known of the visitor; a cookie of the same name their id, so that either outlives
 * the other's clearing. Where local storage is blocked the cookie holds everything; where both are, the page does.
 */
const key = '_ts'

/** What this browser knows of its visitor. Read anew each time, since other tabs write it too. */
export const recall = (): VisitorMemory | null => parse(read(key)) ?? parse(readCookie(key))

export function keep(memory: VisitorMemory): void {
  const { visitor, born } = memory
  const all = JSON.stringify(memory)
  write(key, all)
  const cookie = isLasting ? JSON.stringify({ visitor, born, tests: {} }) : all
  if (readCookie(key) !== cookie) writeCookie(cookie, (born + visitorLife - Date.now()) / 1000)
}

/** Keeps who this is and nothing else yet; whether the next page will know them. */
export function keepId({ visitor, born }: VisitorMemory): boolean {
  keep({ visitor, born, tests: {} })
  return isLasting || !!readCookie(key)
}

export function forgetCookie(): void {
  if (readCookie(key)) writeCookie('', 0)
}

// Throws in a sandboxed frame, where nothing can be kept.
const writeCookie = guarded((value: string, seconds: number) => {
  document.cookie = `${key}=${encodeURIComponent(value)};path=/;max-age=${seconds | 0};samesite=lax${location.protocol[4] === 's' ? ';secure' : ''}`
})

function parse(text: string | null | undefined): VisitorMemory | null {
  try {
    const found = JSON.parse(text!) as VisitorMemory
    return (found.visitor && found.tests && found) as VisitorMemory
  } catch {
    return null
  }
}
