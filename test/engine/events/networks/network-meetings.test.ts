import t from 'tap'
import type { ArmIndex } from '../../../../domain/arm.ts'
import type { Beacon } from '../../../../domain/events/event.ts'
import { assign } from '../../../../domain/tests/assignment.ts'
import { minute } from '../../../../domain/time-units.ts'
import {
  type EventRow,
  eventRows,
  type StoreTest,
} from '../../../../engine/events/fold/event-rows.ts'
import { foldRows } from '../../../../engine/events/fold/fold-rows.ts'
import { hasMetOtherArm, isCounted } from '../../../../engine/events/fold/visitor-state.ts'
import { meetingsIn } from '../../../../engine/events/networks/network-meetings.ts'

import { fc } from '../../../properties.ts'
import { beacon, event, noon } from '../../support/traffic.ts'

const test = (id: string, startAt: number): StoreTest => ({
  id,
  weights: [0.5, 0.5],
  startAt,
  endedAt: Infinity,
  spans: [{ from: startAt, to: Infinity }],
})
const tests = [test('test-running', noon - 60 * minute), test('test-begun-now', noon - minute)]
const store = {
  id: 'a-store',
  timeZone: 'UTC',
  cycleAnchor: noon,
  tests: new Map(tests.map(each => [each.id, each])),
  hosts: new Set<string>(),
}

const named = fc.constantFrom(...tests.map(({ id }) => id), 'test-of-nobody'),
  seldom = fc.integer({ min: 0, max: 7 }).map(n => n === 0),
  claim = fc.record({ isOther: seldom, stages: fc.integer({ min: 0, max: 7 }) })
const sent = fc.record({
  visitor: fc.integer({ min: 0, max: 3 }),
  isBot: seldom,
  claims: fc.dictionary(named, claim, { maxKeys: 2 }),
  events: fc.array(
    fc.record({
      kind: fc.constantFrom('exposure', 'exposure', 'click', 'cart', 'view', 'vitals'),
      before: fc.constantFrom(0, 0, 0, 2 * minute, 30 * minute, 90 * minute, 90 * 24 * 60 * minute),
      tests: fc.option(fc.array(named, { maxLength: 2 }), { nil: undefined }),
    } as const),
    { minLength: 1, maxLength: 3 },
  ),
})

type Claims = Record<string, { isOther: boolean; stages: number }>
const claimed = (visitor: string, claims: Claims): Beacon['tests'] =>
  Object.fromEntries(
    Object.entries(claims).map(([id, { isOther, stages }]) => {
      const own = assign(id, visitor, [0.5, 0.5])
      return [id, [isOther ? ((1 - own) as ArmIndex) : own, stages]]
    }),
  )

t.test('a visitor leaves the counts of networks exactly when they leave the figures', t => {
  const seen = { left: 0, met: 0, stayed: 0 }
  fc.assert(
    fc.property(fc.array(sent, { minLength: 1, maxLength: 6 }), beacons => {
      const rows = beacons.flatMap((each): EventRow[] =>
        eventRows(
          beacon(
            `visitor-${each.visitor}`,
            claimed(`visitor-${each.visitor}`, each.claims),
            each.events.map(({ kind, before, tests }) => ({
              ...event(kind, noon - before, tests),
              ...(kind === 'vitals' && { vitals: { lcp: 900 } }),
            })),
          ),
          { received: noon, device: 0, isBot: each.isBot, network: `network-${each.visitor}` },
          store,
        ),
      )
      const states = [...foldRows(rows, () => store).states.values()].flatMap(({ byVisitor }) => [
        ...byVisitor.values(),
      ])
      const { met, leaving } = meetingsIn(rows, () => store)
      const name = ({ testId, visitor }: { testId: string; visitor: string }) =>
        `${testId} ${visitor}`
      const out = states.filter(state => state.isBot || hasMetOtherArm(state)).map(name),
        counted = states.filter(isCounted).map(name)
      seen.left += out.length
      seen.met += counted.length
      seen.stayed += states.length - out.length - counted.length
      // Leave out claims on tests that the store does not have.
      const known = leaving.filter(({ testId }) => store.tests.has(testId)).map(name)
      return (
        JSON.stringify(known.sort()) === JSON.stringify(out.sort()) &&
        JSON.stringify(met.map(name).sort()) === JSON.stringify(counted.sort())
      )
    }),
    { numRuns: 1_000 },
  )
  for (const [what, count] of Object.entries(seen)) t.ok(count > 50, `${what}: ${count}`)
  t.end()
})
