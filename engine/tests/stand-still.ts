import { clockTolerance } from '../../domain/events/event.ts'
import type { StoreTest } from '../events/fold/event-rows.ts'

/**
 * How long a change takes to reach every page of the shop: a script lives on in a browser's cache for 60 s, and a clock may
 * be off by up to a minute. Milliseconds.
 */
export const stragglerGrace = 120_000

/** While it ran, by what a page itself says that it showed: an exposure, a click, a measured page. Milliseconds. */
export const isRunning = ({ spans }: Pick<StoreTest, 'spans'>, at: number): boolean =>
  spans.some(({ from, to }) => at >= from - clockTolerance && at < to + stragglerGrace)

type Times = Pick<StoreTest, 'startAt' | 'endedAt' | 'spans'>

/**
 * Whether what a visitor does counts for the test where nothing but the moment tells (milliseconds). Standing still and
 * continuing again take effect when every page knows: until then the original may still be on it. And until then every
 * process has heard of it, so that what is counted once is never judged otherwise later (decision 025).
 */
export const isCounting = (test: Times, at: number): boolean =>
  at >= test.startAt - clockTolerance &&
  at < test.endedAt + stragglerGrace &&
  pauseAt(test, at) === none

const none = -1

/** Which time of standing still a moment falls into; `none` while it runs, before it began, and after its end. */
function pauseAt({ spans, endedAt }: Omit<Times, 'startAt'>, at: number): number {
  for (let i = spans.length - 1; i >= 0; i--)
    if (i === 0 || at >= spans[i]!.from + stragglerGrace)
      return at >= spans[i]!.to + stragglerGrace && spans[i]!.to < endedAt ? i : none
  return none
}

/** The same for one who met the test at `met`: what they do then is in a running test, even just after it continued. */
export function isCountingFor(test: Times | undefined, met: number, at: number): boolean {
  const pause = test ? pauseAt(test, at) : none
  return pause === none || pause === pauseAt(test!, met)
}

const known = new WeakMap<ReadonlyMap<string, StoreTest>, number[]>()

/**
 * What a session is kept in parts by: the latest moment at which a test of the store stood still or continued, 0 before any.
 * Within a part each test wholly runs or wholly stands still.
 */
export function partAt(tests: ReadonlyMap<string, StoreTest>, at: number): number {
  let marks = known.get(tests)
  if (!marks) known.set(tests, (marks = marksOf(tests)))
  for (let i = marks.length - 1; i >= 0; i--) if (at >= marks[i]!) return marks[i]!
  return 0
}

function marksOf(tests: ReadonlyMap<string, StoreTest>): number[] {
  const marks = new Set<number>()
  for (const { spans, endedAt } of tests.values())
    for (const [i, { from, to }] of spans.entries()) {
      if (i > 0) marks.add(from + stragglerGrace)
      if (to < endedAt) marks.add(to + stragglerGrace)
    }
  return [...marks].sort((a, b) => a - b)
}
