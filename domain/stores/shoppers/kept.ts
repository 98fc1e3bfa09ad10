/** A cache in memory: it keeps the entries that were used last, up to a number of bytes. */
export type Kept<V> = {
  get: (key: string) => V | undefined
  /**
   * `bytes`: the entry's approximate size. An entry that is larger than the whole cache is not
   * kept.
   */
  set: (key: string, value: V, bytes: number) => void
  delete: (key: string) => void
  values: () => Iterable<V>
  /** The size of all entries. */
  bytes: () => number
  size: () => number
}

/**
 * Makes a cache of at most `maxBytes`. The limit is in bytes, because the sizes of entries differ
 * by a factor of a thousand. `isStale`: whether an entry is useless; the least recently used
 * entries are removed while they are stale, even if there is room.
 */
export function keptWithin<V>(
  maxBytes: number,
  isStale: (value: V) => boolean = () => false,
): Kept<V> {
  // A map keeps the order of insertion. An entry that is used is inserted again, so the least
  // recently used one is first.
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

/**
 * Bytes of a text in memory, at most: a character takes two bytes if any character of the text is
 * not in Latin 1.
 */
export const bytesOfText = (text: string): number => text.length * 2
