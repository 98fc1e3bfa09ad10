import t from 'tap'
import { waitAfter } from '../../domain/backoff.ts'
import { fc } from '../properties.ts'

t.test('a wait starts at 500 ms, grows 1.3x, and is at most 2000 ms', async t => {
  t.same(
    [1, 2, 3, 4, 5, 6, 7, 20].map(attempt => Math.round(waitAfter(attempt, 0))),
    [500, 650, 845, 1099, 1428, 1856, 2000, 2000],
  )
})

t.test('jitter never makes a wait longer and leaves at least half of it', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempt, chance) => {
        const wait = waitAfter(attempt, chance),
          longest = waitAfter(attempt, 0)
        return wait <= longest && wait >= longest / 2
      },
    ),
  )
})
