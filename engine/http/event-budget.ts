import { minute } from '../../domain/time-units.ts'

/** Keys remembered at a time; the one whose minute began first gives way. */
const keysKept = 50_000

export type EventBudget = {
  /** Takes so much of a key's minute, of which it has `most`. Answers 0, or in how many seconds to come again. */
  take: (key: string, weight: number, most: number) => number
}

/** Weights that are counted by the minute, or another `span` of milliseconds, in this process's memory: several processes let through as much each. */
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
      // One that is larger than a whole minute has to be taken some time.
      if (own.weight > 0 && own.weight + weight > most)
        return Math.ceil((own.from + span - at) / 1000)
      own.weight += weight
      return 0
    },
  }
}

/** Whom an address stands for: an IPv6 client has a whole /64 to send from, and 6to4 makes a /48 of one IPv4 address. */
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
