import { clockTolerance } from '../../domain/events/event.ts'
import type { StoreTest } from '../events/fold/event-rows.ts'

/**
 * How long a change takes to reach every page of the shop, in milliseconds: a browser caches the
 * script for 60 s, and a clock may be off by up to a minute.
 */
export const stragglerGrace = 120_000

/**
 * True if the test ran at this moment (milliseconds). For events in which a page says what it
 * showed: an exposure, a click, a measured page.
 */
export const isRunning = ({ spans }: Pick<StoreTest, 'spans'>, at: number): boolean =>
  spans.some(({ from, to }) => at >= from - clockTolerance && at < to + stragglerGrace)

type Times = Pick<StoreTest, 'startAt' | 'endedAt' | 'spans'>

/**
 * True if what a visitor does at this moment (milliseconds) counts for the test, when only the
 * moment can tell. A pause and a resume take effect when every page knows about them; until then a
 * page may still show what it showed before. By then every process knows about them too, so that
 * what is counted once is never judged differently later (decision 025).
 */
export const isCounting = (test: Times, at: number): boolean =>
  at >= test.startAt - clockTolerance &&
  at < test.endedAt + stragglerGrace &&
  pauseAt(test, at) === none

const none = -1

/**
 * The number of the pause that a moment falls into; `none` while the test runs, before it began,
 * and after its end.
 */
function pauseAt({ spans, endedAt }: Omit<Times, 'startAt'>, at: number): number {
  for (let i = spans.length - 1; i >= 0; i--)
    if (i === 0 || at >= spans[i]!.from + stragglerGrace)
      return at >= spans[i]!.to + stragglerGrace && spans[i]!.to < endedAt ? i : none
  return none
}

/**
 * The same for a visitor who met the test at `met`. If both moments fall into the same pause, the
 * test had already resumed on the visitor's page, so the visit counts.
 */
export function isCountingFor(test: Times | undefined, met: number, at: number): boolean {
  const pause = test ? pauseAt(test, at) : none
  return pause === none || pause === pauseAt(test!, met)
}

const known = new WeakMap<ReadonlyMap<string, StoreTest>, number[]>()

/**
 * The part of a session that a moment belongs to. Sessions are split at the moments when a test of
 * the store pauses or resumes; the part is named by the latest of them, 0 before the first. Within
 * a part each test runs all the time or is paused all the time.
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
