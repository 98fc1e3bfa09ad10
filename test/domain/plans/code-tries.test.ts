import t from 'tap'
import { callTimeouts } from '../../../domain/call-timeouts.ts'
import {
  giveBack,
  longestTurn,
  noTries,
  tryCode,
  tryLimits,
} from '../../../domain/plans/code-tries.ts'

const hour = 3_600_000
const limits = tryLimits(20)
const start = () => noTries(limits, 0)

t.test('the first tries are free; then one is free within a turn', async t => {
  const tries = start()
  for (let n = 0; n < 20; n++) t.equal(tryCode(tries, `WRONG-${n}`, limits, 0), 0)
  t.equal(tryCode(tries, 'RIGHT', limits, 0), 1000, 'a check waits for a moment')
  t.equal(tryCode(tries, 'RIGHT', limits, 0), 0, 'it is counted')
  t.equal(tryCode(tries, 'NEXT', limits, 0), null, 'a second one would have to wait longer')
  t.equal(tryCode(tries, 'NEXT', limits, 1500), 500)
  t.ok(
    longestTurn + callTimeouts.vendors <= callTimeouts.engine,
    'and the shop can still be asked within the call',
  )
})

t.test('a code counts once, however often it is checked', async t => {
  const tries = start()
  for (let n = 0; n < 1000; n++) t.equal(tryCode(tries, 'SAME', limits, 0), 0)
  t.equal(tries.burst.left, 19)
})

t.test('a valid code does not count, and gives no more than there was', async t => {
  const tries = start()
  for (let n = 0; n < 100; n++) {
    t.equal(tryCode(tries, `VALID-${n}`, limits, 0), 0)
    giveBack(tries, limits)
  }
  giveBack(tries, limits)
  t.equal(tries.burst.left, 20)
  t.equal(tries.lasting.left, 480)
})

t.test('somebody who guesses has a day’s tries at first, and then those of the hour', async t => {
  const tries = start()
  const tried = (from: number, to: number) => {
    let count = 0
    for (let now = from; now < to; now += 500)
      if (tryCode(tries, `GUESS-${now}`, limits, now) !== null) count++
    return count
  }
  const first = tried(0, hour)
  t.ok(first >= 480 && first <= 500, String(first))
  const later = tried(hour, 11 * hour)
  t.ok(later >= 199 && later <= 201, String(later))
  tryCode(tries, 'ONE-MORE', limits, 11 * hour)
  t.equal(tryCode(tries, 'ANOTHER', limits, 11 * hour + 10_000), null, 'no check waits for that')
  t.ok(tries.codes.size <= 100, 'and the codes that are remembered are limited')
})
