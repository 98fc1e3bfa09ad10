/** What is kept in memory to be given again: whatever was used last, up to so many bytes. */
export type Kept<V> = {
  get: (key: string) => V | undefined
  /** `bytes` is what this one takes, as well as that can be told. One that is larger than everything together may be is not kept. */
  set: (key: string, value: V, bytes: number) => void
  delete: (key: string) => void
  values: () => Iterable<V>
  /** The size of everything that is kept. */
  bytes: () => number
  size: () => number
}

/** Bounded by bytes and not by entries, which differ by a factor of a thousand. `isStale`: what nobody will ask for again, and goes before the least used does. */
export function keptWithin<V>(
  maxBytes: number,
  isStale: (value: V) => boolean = () => false,
): Kept<V> {
  // A map tells its entries in the order they came: used last stands last.
  const entries = new Map<string, { value: V; bytes: number }>()
  let total = 0
  const drop = (key: string) => {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }
  return {
    get: key => {
      const entry = entries.get(key)
      if (!entry) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set: (key, value, bytes) => {
      drop(key)
      if (bytes > maxBytes) return
      entries.set(key, { value, bytes })
      total += bytes
      for (const [oldest, { value: old }] of entries) {
        if (total <= maxBytes && !isStale(old)) break
        drop(oldest)
      }
    },
    delete: drop,
    *values() {
      for (const { value } of entries.values()) yield value
    },
    bytes: () => total,
    size: () => entries.size,
  }
}

/** Bytes of a text in memory: a character takes two as soon as one of them is beyond Latin 1. */
export const bytesOfText = (text: string): number => text.length * 2
