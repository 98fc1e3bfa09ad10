import type { Beacon } from '../../domain/events/event.ts'
import { day } from '../../domain/time-units.ts'
import { type Chance, chanceOf } from './chance.ts'
import { meetPerson, type Person } from './people.ts'
import type { Sender } from './sender.ts'

/**
 * A further store of the panel, which has no shop here: what its shop's script would report.
 * `days`: how far back its visits go.
 */
export type OtherStore = { shop: string; visitors: number; days: number }

const atOnce = 32
const pages = [
  '/',
  '/collections/all',
  '/products/the-first',
  '/products/the-second',
  '/pages/about',
]

/**
 * Sends the collector a few visits to each of these stores, so that their last weeks are not empty.
 */
export async function visitOtherStores(
  sender: Sender,
  stores: readonly OtherStore[],
): Promise<void> {
  const visits = stores.flatMap(store => {
    const chance = chanceOf(store.shop),
      aside = chanceOf(`${store.shop} aside`),
      now = Date.now()
    return Array.from({ length: store.visitors }, () => ({
      person: meetPerson(chance, aside),
      beacon: visitOf(store.shop, now - Math.floor(chance.between(0.01, store.days) * day), chance),
    })).filter(({ person }) => !person.isRefusing)
  })
  const work = async (): Promise<void> => {
    for (let next = visits.pop(); next; next = visits.pop()) await sender.beacon(...told(next))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

const told = ({ person, beacon }: { person: Person; beacon: Beacon }): [Beacon, Person] => [
  {
    ...beacon,
    landing: `${beacon.landing}${person.query && `?${person.query}`}`,
    referrer: person.referrer,
  },
  person,
]

function visitOf(shop: string, at: number, chance: Chance): Beacon {
  const seen = Array.from({ length: 1 + Math.floor(chance.next() * 4) }, () => chance.pick(pages))
  const events: Beacon['events'] = seen.map((path, i) => ({
    id: chance.id(),
    at: at + i * 20_000,
    kind: 'view',
    path,
  }))
  return {
    v: 1,
    shop,
    visitor: chance.id(),
    session: chance.id(),
    sent: at + seen.length * 20_000,
    isNew: true,
    landing: seen[0]!,
    referrer: '',
    tests: {},
    events,
  }
}
