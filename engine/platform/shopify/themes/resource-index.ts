import { ShopBusy } from '../../../../domain/problem.ts'
import type { AssignedType } from '../../../../domain/themes/template.ts'
import { timeLeft } from '../../../http/vendor-calls.ts'
import type { ShopResource } from '../../themes.ts'

export type Indexed = ShopResource & { updatedAt: string }
/** Reads all resources of a type, or those that changed since an instant. */
export type ReadResources = (
  shop: string,
  type: AssignedType,
  since: string | null,
) => Promise<Indexed[]>
/** How many there are, if the platform says so at once; null if it does not. */
export type CountResources = (shop: string, type: AssignedType) => Promise<number | null>

type Entry = { at: number; byId: Map<string, Indexed>; newest: string }

/** How long an index is used without asking the shop, in milliseconds. */
const keptFor = 5_000
/** Changes since this long before the newest known one are read again, in milliseconds. */
const overlap = 60_000
/** Most shops whose index stays in memory; the one that was read longest ago goes first. */
const maxEntries = 400

/**
 * Shopify cannot select by template. So we keep what is assigned to which template, by shop and
 * type, and afterwards read only what has changed. A deleted resource is noticed by the count:
 * then everything is read again.
 */
export function resourceIndex(read: ReadResources, count: CountResources) {
  const known = new Map<string, Entry>()
  const underWay = new Map<string, Promise<Entry>>()

  async function renewed(shop: string, type: AssignedType): Promise<Entry> {
    const key = `${shop} ${type}`,
      old = known.get(key)
    if (old && performance.now() - old.at < keptFor) return old
    const at = performance.now()
    const total = old ? await count(shop, type) : null
    let byId = new Map<string, Indexed>()
    if (old && total !== null) {
      const since = new Date(Date.parse(old.newest) - overlap).toISOString()
      byId = new Map([...old.byId, ...named(await read(shop, type, since))])
    }
    if (byId.size !== total) byId = new Map(named(await read(shop, type, null)))
    const entry = { at, byId, newest: newestOf([...byId.values()]) }
    known.delete(key)
    known.set(key, entry)
    for (const first of known.keys()) {
      if (known.size <= maxEntries) break
      known.delete(first)
    }
    return entry
  }

  /** Everything of a type, by id. While a large shop is read for the first time: ShopBusy. */
  async function entryOf(shop: string, type: AssignedType): Promise<Entry> {
    const key = `${shop} ${type}`
    let flight = underWay.get(key)
    if (!flight) {
      flight = renewed(shop, type).finally(() => underWay.delete(key))
      // Somebody else may wait for it after this call has ended.
      flight.catch(() => {})
      underWay.set(key, flight)
    }
    const left = timeLeft()
    if (left === Infinity) return flight
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(stillReading()), Math.max(0, left - 250))
    })
    try {
      return await Promise.race([flight, late])
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    /** In an order that does not change. */
    all: async (shop: string, type: AssignedType): Promise<Indexed[]> =>
      [...(await entryOf(shop, type)).byId.values()].sort((a, b) => compared(a.id, b.id)),
    /** Notes what we have changed ourselves, because Shopify's search shows it later. */
    assigned: (shop: string, type: AssignedType, id: string, suffix: string): void => {
      const entry = known.get(`${shop} ${type}`),
        one = entry?.byId.get(id)
      if (one) entry!.byId.set(id, { ...one, suffix })
    },
  }
}
export type ResourceIndex = ReturnType<typeof resourceIndex>

const stillReading = () =>
  new ShopBusy(
    'Twinshelf is reading the pages of your shop for the first time. Try again in a minute.',
    30,
  )

const named = (all: readonly Indexed[]) => all.map(one => [one.id, one] as const)

const newestOf = (all: readonly Indexed[]): string =>
  all.reduce((newest, { updatedAt }) => (updatedAt > newest ? updatedAt : newest), '1970-01-01T00:00:00Z') // prettier-ignore

/** Ids are numbers without an end, so the shorter one is the smaller one. */
export const compared = (a: string, b: string): number =>
  a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
