import { minute } from '../../domain/time-units.ts'

/**
 * Maximum number of remembered keys. When there are more, the one whose minute began first is
 * dropped.
 */
const keysKept = 50_000

export type EventBudget = {
  /**
   * Takes `weight` from a key's budget of `most` per minute. Returns 0, or the number of seconds
   * after which to try again.
   */
  take: (key: string, weight: number, most: number) => number
}

/**
 * Counts weights per minute (or per `span` milliseconds) in this process's memory, so each process
 * has the full budget.
 */
export function eventBudget(
  now: () => number = () => performance.now(),
  span: number = minute,
): EventBudget {
  const used = new Map<string, { from: number; weight: number }>()
  return {
    take: (key, weight, most) => {
      const at = now()
      let own = used.get(key)
      if (!own || at - own.from >= span) {
        used.delete(key)
        used.set(key, (own = { from: at, weight: 0 }))
        if (used.size > keysKept) used.delete(used.keys().next().value!)
      }
      // A weight above the whole budget must pass some time, so it passes at the start of a minute.
      if (own.weight > 0 && own.weight + weight > most)
        return Math.ceil((own.from + span - at) / 1000)
      own.weight += weight
      return 0
    },
  }
}

/**
 * The client behind an address: an IPv6 client can send from a whole /64, and 6to4 makes a /48 of
 * one IPv4 address.
 */
export function clientOf(address: string): string {
  const plain = address.split('%')[0]!.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!plain.includes(':')) return plain
  const [head = '', tail] = plain.split('::'),
    groups = head.split(':').filter(Boolean)
  if (tail !== undefined) {
    const after = tail.split(':').filter(Boolean)
    while (groups.length + after.length < 8) groups.push('0')
    groups.push(...after)
  }
  const own = groups.slice(0, groups[0] === '2002' ? 3 : 4)
  return `${own.map(group => parseInt(group, 16).toString(16)).join(':')}::/${own.length * 16}`
}
