/** Collects items (`hear`) and lets a test wait until there are enough (`until`). */
export type Hearing<T> = {
  heard: T[]
  hear: (item: T) => void
  until: (enough: (heard: T[]) => boolean) => Promise<void>
}

export function hearing<T>(): Hearing<T> {
  const heard: T[] = []
  const waiting = new Set<() => void>()
  return {
    heard,
    hear: item => {
      heard.push(item)
      for (const look of waiting) look()
    },
    until: enough =>
      new Promise(resolve => {
        const look = () => {
          if (!enough(heard)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}
