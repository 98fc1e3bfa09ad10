import t from 'tap'
import { bytesWords, isNearlyFull, leastFree, spaceWords } from '../../domain/disk-space.ts'

const gigabyte = 1_000_000_000

t.test(
  'a disk is nearly full below its reserve or below the minimum that the database needs',
  async t => {
    t.equal(isNearlyFull({ free: 1.01 * gigabyte, size: 20 * gigabyte }, 5), false)
    t.equal(isNearlyFull({ free: 0.99 * gigabyte, size: 20 * gigabyte }, 5), true)
    t.equal(isNearlyFull({ free: 0.99 * gigabyte, size: 20 * gigabyte }, 2), false)
    t.equal(isNearlyFull({ free: leastFree - 1, size: 200_000_000 }, 5), true)
    t.equal(isNearlyFull({ free: leastFree, size: 200_000_000 }, 5), false)
  },
)

t.test('sizes in words', async t => {
  t.same([0, 999, 1_500, 64_000_000, 1.24e9, 20e9, 3e12].map(bytesWords), [
    '0 bytes',
    '999 bytes',
    '1.5 kB',
    '64 MB',
    '1.2 GB',
    '20 GB',
    '3 TB',
  ])
  t.equal(spaceWords({ free: 800_000_000, size: 20e9 }), '800 MB of 20 GB are free')
})
