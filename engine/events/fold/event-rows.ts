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

/**
 * What the collector must know about a launched test. Times are in milliseconds; a scheduled test
 * has no spans yet.
 */
export type StoreTest = {
  id: string
  weights: PerArm<number>
  startAt: number
  /** Infinity while it has not ended. */
  endedAt: number
  /** The times in which it was Active, each without its last moment. */
  spans: Span[]
  /** What decides which other tests may disturb it; undefined for a test that ended long ago. */
  excluding?: Excluding | undefined
  /** False if the test has an audience. */
  isForAll?: boolean
}
export type EventStore = {
  id: string
  timeZone: string
  tests: Map<string, StoreTest>
  /**
   * Ids of hypotheses whose changes every visitor sees. The script names them like tests, but
   * nothing is counted for them.
   */
  applied?: ReadonlySet<string>
  /** The shop's own hosts: a link from one of them is no referrer. */
  hosts: ReadonlySet<string>
}

/**
 * Who sent a beacon, and when it arrived (milliseconds). `network`: the keyed hash of the network
 * it came from (networks.ts); null if the address says nothing about the visitor.
 */
export type Arrival = Agent & { received: number; country?: string | null; network?: string | null }

/**
 * Why an event is stored but not counted; index 0 means that it counts. Rows store the index, so
 * add new reasons at the end.
 */
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

/**
 * What all events of a beacon share. `claims`: arm and stages by test, only for tests that the
 * store knows.
 */
export type Visit = {
  storeId: string
  visitor: string
  session: string
  device: DeviceIndex
  isBot: boolean
  isNew: boolean
  /** In the form in which addresses are stored (domain/stores/kept-address.ts). */
  landing: string
  referrer: string
  /**
   * Index in domain/events/channel.ts `channels`, computed from the whole addresses; null for an
   * event that was stored before this column existed.
   */
  channel: number | null
  country: string | null
  /** True if the browser said that the visitor agreed; false if it did not say. */
  hasConsented: boolean
  claims: Beacon['tests']
  /** Known only when the beacon arrives: events do not store them. */
  network?: string | null
  received?: number
}
/**
 * An event as the table `events` stores it. `tests`: the tests that it counts for, or that it was
 * set aside from.
 */
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

// Times that both JavaScript and the database can write. A far-off time must not make its whole
// batch fail.
const earliest = 0,
  latest = Date.UTC(9999, 11, 30)

/**
 * Makes the rows of one beacon. Nothing is refused here: an event that cannot count is set aside
 * with its reason. The day comes from the client's own clock, uncorrected, so that a repeated event
 * gets the same key.
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
    // An event cannot happen after it was received. Until that moment it is known which tests ran.
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

/**
 * Removes repeated test ids. Otherwise one measured page would count as often as it names the test.
 */
const named = (event: ShopperEvent): ShopperEvent =>
  event.tests ? { ...event, tests: [...new Set(event.tests)] } : event

/**
 * Removes the ids of applied hypotheses. An exposure to nothing else is dropped, because everyone
 * sees these changes; a click stays an event, but not of these tests.
 */
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
      // Our script sends exposures to exactly one test, so an exposure with none or several is set
      // aside.
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
    // A cart event names no test: it counts for each test that the visitor is in.
    case 'cart':
      return {
        tests: Object.keys(visit.claims).filter(id => isCounting(store.tests.get(id)!, at)),
        setAside: setAside.no,
      }
    // A page is measured when the visitor leaves it, maybe after the test's end. If it cannot
    // count, that is nobody's mistake, so it is not set aside.
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

/**
 * The event counts for each named test that allows it. It is set aside only if it counts for none
 * of them.
 */
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

/** Whether the page showed the arm that the visitor is assigned to. */
const isShownOwn = (test: StoreTest | undefined, visit: Visit) =>
  test !== undefined && visit.claims[test.id]?.[0] === assign(test.id, visit.visitor, test.weights)
