import t from 'tap'
import { tryLimits } from '../../../domain/plans/code-tries.ts'
import { discountTries } from '../../../engine/plans/discount-tries.ts'
import { refusal, startEngine } from '../support/engine.ts'
import { seedStore } from '../support/seeds.ts'
import { secondShop } from '../support/small-shop.ts'

const { db, call, shop, close } = await startEngine(
  { quotas: { requests: 10_000_000, concurrent: 1_000 } },
  { DISCOUNT_GUESSES_PER_STORE: '3' },
)
t.teardown(close)
await db.kysely
  .insertInto('discount_codes')
  .values(
    ['SPRING', 'SUMMER'].map(code => ({
      code,
      value_type: 0 as const,
      value: 20,
      plan_id: null,
      expires_at: null,
      max_stores: null,
      created_at: new Date(),
    })),
  )
  .execute()
const invalid = { isValid: false, valueType: 0, value: 0 },
  valid = { isValid: true, valueType: 0, value: 20 }
const check = (code: string, token?: string) => call('checkDiscount', { params: { code } }, token)

t.test('after many wrong codes a valid one is still valid: its check only waits', async t => {
  for (let n = 0; n < 6; n++) t.same(await check(`WRONG-${n}`), invalid, `wrong code ${n}`)
  t.same(await check('spring'), valid)
})

t.test('a code that was checked before is not counted again', async t => {
  // Many at once would not all get a turn.
  const again = await Promise.all(
    Array.from({ length: 100 }, (_, n) => check(n % 2 ? 'SPRING' : 'WRONG-0')),
  )
  t.same(new Set(again.map(({ isValid }) => isValid)), new Set([true, false]))
})

t.test(
  'a store that guesses is limited, in every call with a code, and other stores are not',
  async t => {
    const [plan] = (await call('plans', {})).filter(
      ({ available, requireAppointment, level }) => available && !requireAppointment && level === 1,
    )
    // The store has 72 tries in the long run, however slowly these requests are answered.
    const tries = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        (n % 2
          ? check(`GUESS-${n}`)
          : call('subscribe', { params: { id: plan!.id }, query: { discountCode: `GUESS-${n}` } })
        ).then(
          () => null,
          (error: unknown) => refusal(Promise.reject(error)),
        ),
      ),
    )
    for (const kind of [0, 1]) {
      const unchecked = tries.filter((each, n) => n % 2 === kind && each?.status === 429)
      t.ok(unchecked.length >= 20, `${unchecked.length} were not checked`)
      for (const each of unchecked)
        t.match(each, {
          problem: { fields: [{ field: 'discountCode', message: /not be checked/ }] },
        })
    }

    await seedStore(db, { shop: secondShop })
    const { token } = await call('auth', {
      body: {
        idToken: await shop.idToken({
          iss: `https://${secondShop}`,
          dest: `https://${secondShop}`,
        }),
      },
    })
    t.same(await check('SUMMER', token), valid)
    t.same(await check('GUESS-1', token), invalid)
  },
)

t.test('processes count the tries of a store together', async t => {
  const storeId = await seedStore(db, { shop: 'third-shop.demo-shop.test' })
  const limits = tryLimits(3),
    [one, other] = [discountTries(db, limits), discountTries(db, limits)] as const
  const tries = await Promise.all(
    Array.from({ length: 40 }, (_, n) => (n % 2 ? one : other).take(storeId, `CODE-${n}`)),
  )
  t.equal(tries.filter(each => each?.wait === 0).length, 3, 'three of them at once')
  t.ok(tries.filter(each => each === null).length > 30)
  const known = tries.findIndex(each => each?.wait === 0)
  t.match(await one.take(storeId, `CODE-${known}`), { wait: 0, isNew: false })
  t.match(await other.take(storeId, `CODE-${known}`), { wait: 0, isNew: false })
})
