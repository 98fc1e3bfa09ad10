import type { PerArm } from '../../../domain/arm.ts'
import { assign } from '../../../domain/tests/assignment.ts'
import { channelOf, channels, referrerHost, trafficSource } from '../../../domain/events/channel.ts'
import type { DeviceIndex } from '../../../domain/device.ts'
import { clockTolerance, eventAge } from '../../../domain/events/event.ts'
import type { Beacon, EventKind, ShopperEvent, Vitals } from '../../../domain/events/event.ts'
import type { Excluding } from '../../../domain/tests/exclusion.ts'
import type { Span } from '../../tests/active-spans.ts'
import { keptPath, keptReferrer } from '../../../domain/stores/kept-address.ts'
import { belongsElsewhere } from '../../tests/exclusion-verdict.ts'
import { isCounting, isRunning } from '../../tests/stand-still.ts'
import type { Agent } from '../visit-agent.ts'
import { dayIn } from './visit-day.ts'

/** What the collector must know of a launched test. Milliseconds; a scheduled one has no spans yet. */
export type StoreTest = {
  id: string
  weights: PerArm<number>
  startAt: number
  /** Infinity while it has not ended. */
  endedAt: number
  /** When it was Active, half open. */
  spans: Span[]
  /** What decides with which others it shares visitors; left out of a test that is long over. */
  excluding?: Excluding | undefined
  /** False where it is for some audience. */
  isForAll?: boolean
}
export type EventStore = {
  id: string
  timeZone: string
  tests: Map<string, StoreTest>
  /** Hypotheses whose changes everyone is shown: the script names them like tests, but nothing is counted for them. */
  applied?: ReadonlySet<string>
  /** The shop's own: what links from them is no referrer. */
  hosts: ReadonlySet<string>
}

/** Who sent a beacon and when it came (milliseconds). */
/** `network`: the keyed hash of the network it came from (networks.ts); null where that says nothing. */
export type Arrival = Agent & { received: number; country?: string | null; network?: string | null }

/** Why an event is kept but not counted; 0 when it is. A row keeps the index, so new ones go to the end. */
export const setAsideReasons = [
  'no',
  'farOff',
  'unknownTest',
  'notRunning',
  'otherArm',
  'otherTest',
] as const
export const setAside = {
  no: 0,
  farOff: 1,
  unknownTest: 2,
  notRunning: 3,
  otherArm: 4,
  otherTest: 5,
} as const
export type SetAside = (typeof setAside)[keyof typeof setAside]

/** What all events of a beacon share; its claims are those on tests the store knows. */
export type Visit = {
  storeId: string
  visitor: string
  session: string
  device: DeviceIndex
  isBot: boolean
  isNew: boolean
  /** As they are kept (domain/stores/kept-address.ts). */
  landing: string
  referrer: string
  /** Place in domain/events/channel.ts `channels`, by the whole addresses; null of an event that was kept before that was noted. */
  channel: number | null
  country: string | null
  /** The browser said that they agreed; false where it did not say. */
  hasConsented: boolean
  claims: Beacon['tests']
  /** Of an arrival alone: no event keeps them. */
  network?: string | null
  received?: number
}
/** An event as the raw table keeps it. `tests` are those it concerns: counted for, or set aside from. */
export type EventRow = {
  visit: Visit
  day: string
  id: string
  at: number
  kind: EventKind
  path: string
  /** The platform's id of a product that was seen or put in the cart. */
  product: string | null
  vitals: Vitals | null
  tests: string[] | null
  setAside: SetAside
}

// Years that both JavaScript and the database can write; a far-off time must not fail the batch it is in.
const earliest = 0,
  latest = Date.UTC(9999, 11, 30)

/**
 * The rows of one beacon. Nothing is refused here: an event that cannot count is set aside with its reason.
 * The day is the client's own, uncorrected, so that a repeat lands on the same key.
 */
export function eventRows(beacon: Beacon, arrival: Arrival, store: EventStore): EventRow[] {
  const { received } = arrival
  const claims: Beacon['tests'] = {}
  for (const id in beacon.tests) {
    const test = store.tests.get(id)
    if (test && received < test.endedAt + eventAge.behind) claims[id] = beacon.tests[id]!
  }
  const visit: Visit = {
    storeId: store.id,
    visitor: beacon.visitor,
    session: beacon.session,
    device: arrival.device,
    isBot: arrival.isBot,
    isNew: beacon.isNew,
    landing: keptPath(beacon.landing),
    referrer: keptReferrer(beacon.referrer),
    channel: channels.indexOf(
      channelOf(trafficSource(beacon.landing, referrerHost(beacon.referrer, store.hosts))),
    ),
    country: arrival.country ?? null,
    hasConsented: beacon.consent === true,
    claims,
    network: arrival.network ?? null,
    received,
  }
  const skew = received - beacon.sent
  const shift = Math.abs(skew) > clockTolerance ? skew : 0
  return withoutApplied(beacon.events.map(named), store).map(event => {
    const at = event.at + shift
    const isFarOff = at < received - eventAge.behind || at > received + eventAge.ahead
    // Nothing has happened after it was received: what runs at that moment is then already settled.
    const settled = isFarOff ? Math.min(Math.max(at, earliest), latest) : Math.min(at, received)
    return {
      visit,
      id: event.id,
      kind: event.kind,
      path: keptPath(event.path),
      product: (hasProduct(event) && event.product) || null,
      vitals: (event.kind === 'vitals' && event.vitals) || null,
      at: settled,
      day: dayIn(store.timeZone, Math.min(Math.max(event.at, earliest), latest)),
      ...(isFarOff
        ? { tests: concerned(event, visit, store), setAside: setAside.farOff }
        : judge(event, settled, visit, store)),
    }
  })
}

/** A test that an event names again and again is one test: otherwise one page measured would count as often as it says so. */
const named = (event: ShopperEvent): ShopperEvent =>
  event.tests ? { ...event, tests: [...new Set(event.tests)] } : event

/** Meeting what everyone is shown is no event; a click there is one, though not of these tests. */
function withoutApplied(events: ShopperEvent[], { applied }: EventStore): ShopperEvent[] {
  if (!applied?.size) return events
  return events.flatMap(({ tests, ...event }) => {
    const left = tests?.filter(id => !applied.has(id))
    if (event.kind === 'exposure' && tests?.length && left?.length === 0) return []
    return [{ ...event, ...(left?.length && { tests: left }) }]
  })
}

const hasProduct = ({ kind }: ShopperEvent) => kind === 'view' || kind === 'cart'

type Judgement = Pick<EventRow, 'tests' | 'setAside'>

function judge(event: ShopperEvent, at: number, visit: Visit, store: EventStore): Judgement {
  switch (event.kind) {
    case 'exposure':
      // An exposure is to one test; what names none or several is not one of ours.
      if (event.tests?.length !== 1)
        return { tests: concerned(event, visit, store), setAside: setAside.unknownTest }
      return judgeNamed(event, visit, store, test =>
        !isRunning(test, at)
          ? setAside.notRunning
          : visit.claims[test.id]?.[0] !== assign(test.id, visit.visitor, test.weights)
            ? setAside.otherArm
            : belongsElsewhere(test, at, visit, store)
              ? setAside.otherTest
              : setAside.no,
      )
    case 'click':
      if (!event.tests?.length) return { tests: null, setAside: setAside.no }
      return judgeNamed(event, visit, store, test =>
        isRunning(test, at) ? setAside.no : setAside.notRunning,
      )
    // A cart event names no test: it counts for each that the visitor is in.
    case 'cart':
      return {
        tests: Object.keys(visit.claims).filter(id => isCounting(store.tests.get(id)!, at)),
        setAside: setAside.no,
      }
    // A page is measured as it is left, maybe after the test's end: what cannot count is nobody's fault and is not set aside.
    case 'vitals':
      return {
        tests: (event.tests ?? []).filter(
          id => isShownOwn(store.tests.get(id), visit) && isRunning(store.tests.get(id)!, at),
        ),
        setAside: setAside.no,
      }
    default:
      return { tests: null, setAside: setAside.no }
  }
}

/** Counts for the tests it may count for; set aside only when that is none of those it names. */
function judgeNamed(
  event: ShopperEvent,
  visit: Visit,
  store: EventStore,
  reasonAgainst: (test: StoreTest) => SetAside,
): Judgement {
  let reason: SetAside = setAside.unknownTest
  const kept = (event.tests ?? []).filter(id => {
    const test = store.tests.get(id)
    if (test) reason = reasonAgainst(test)
    return test && reason === setAside.no
  })
  return kept.length > 0
    ? { tests: kept, setAside: setAside.no }
    : { tests: concerned(event, visit, store), setAside: reason }
}

function concerned(event: ShopperEvent, visit: Visit, store: EventStore): string[] {
  return event.tests?.length
    ? event.tests.filter(id => store.tests.has(id))
    : Object.keys(visit.claims)
}

/** The page was shown with the arm that the visitor belongs in. */
const isShownOwn = (test: StoreTest | undefined, visit: Visit) =>
  test !== undefined && visit.claims[test.id]?.[0] === assign(test.id, visit.visitor, test.weights)
