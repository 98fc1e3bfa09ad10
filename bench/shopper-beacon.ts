import { assign } from '../domain/tests/assignment.ts'
import { benchShop } from './bench-engine.ts'

/** The body of a shopper's beacon with these events, as the script would send it. */
export const shopperBeacon = (
  testId: string,
  visitor: string,
  sent: number,
  events: readonly object[],
): string =>
  JSON.stringify({
    v: 1,
    shop: benchShop,
    visitor,
    session: `session-${visitor}`,
    sent,
    isNew: true,
    landing: '/products/stoneware-mug',
    referrer: 'https://www.google.com/',
    tests: { [testId]: [assign(testId, visitor, [0.5, 0.5]), 7] },
    events,
  })

/** An address for the nth visitor: each has one of its own, in many networks. */
export const shopperAddress = (n: number): string =>
  [60 + ((n >> 16) % 32), (n >> 8) & 255, n & 255, 7].join('.')
