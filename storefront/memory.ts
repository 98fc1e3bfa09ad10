import { visitorLife, type VisitorMemory } from './core.ts'
import { guarded } from './guard.ts'
import { isLasting, read, readCookie, write } from './storage.ts'

/**
 * Local storage holds all that is known of the visitor; a cookie of the same name their id, so that either outlives
 * the other's clearing. Where local storage is blocked the cookie holds everything; where both are, the page does.
 */
const key = '_ts'

/** What this browser knows of its visitor. Read again each time, since other tabs write it too. */
export const recall = (): VisitorMemory | undefined => parse(read(key)) ?? parse(readCookie(key))

export function keep(memory: VisitorMemory): void {
  const all = JSON.stringify(memory)
  write(key, all)
  const cookie = isLasting ? JSON.stringify(onlyId(memory)) : all
  if (readCookie(key) !== cookie)
    writeCookie(cookie, (memory.born + visitorLife - Date.now()) / 1000)
}

/** Keeps who this is and nothing else yet; whether the next page will know them. */
export function keepId(memory: VisitorMemory): unknown {
  keep(onlyId(memory))
  return isLasting || readCookie(key)
}

const onlyId = ({ visitor, born }: VisitorMemory): VisitorMemory => ({ visitor, born, tests: {} })

export const forgetCookie = (): void => writeCookie('', 0)

// Throws in a sandboxed frame, where nothing can be kept.
const writeCookie = guarded((value: string, seconds: number) => {
  document.cookie = `${key}=${encodeURIComponent(value)};path=/;max-age=${seconds | 0};samesite=lax${location.protocol > 'http:' ? ';secure' : ''}`
})

function parse(text: string | undefined): VisitorMemory | undefined {
  try {
    const found = JSON.parse(text!) as VisitorMemory
    return (found.visitor && found.tests && found) as VisitorMemory
  } catch {
    /* nonsense of somebody else's */
  }
}
