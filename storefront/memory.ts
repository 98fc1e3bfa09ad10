import { visitorLife, type VisitorMemory } from './core.ts'
import { guarded } from './guard.ts'
import { isLasting, read, readCookie, write } from './storage.ts'

/**
 * Local storage holds everything that is known about the visitor. A cookie of the same name holds
 * the visitor's id, so that the id survives when one of the two is cleared. Where local storage is
 * blocked, the cookie holds everything. Where both are blocked, the memory lasts as long as the
 * page.
 */
const key = '_ts'

/**
 * What this browser knows about its visitor. Read again each time, because other tabs write it too.
 */
export const recall = (): VisitorMemory | undefined => parse(read(key)) ?? parse(readCookie(key))

export function keep(memory: VisitorMemory): void {
  const all = JSON.stringify(memory)
  write(key, all)
  const cookie = isLasting ? JSON.stringify(onlyId(memory)) : all
  if (readCookie(key) !== cookie)
    writeCookie(cookie, (memory.born + visitorLife - Date.now()) / 1000)
}

/**
 * Stores the visitor's id and nothing else yet. Returns a truthy value when the next page will be
 * able to read it.
 */
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
    const found = JSON.parse((text || 0) as string) as VisitorMemory
    return (found.visitor && found.tests && found) as VisitorMemory
  } catch {
    /* other code wrote something else here */
  }
}
