import t from 'tap'
import { randomUUID } from 'node:crypto'
import { resealAll } from '../../../engine/session/reseal.ts'
import { sealOf } from '../../../engine/session/seal.ts'
import { startEngine } from '../support/engine.ts'

const { db, now, call, close } = await startEngine()
t.teardown(close)
const { id: store } = await call('storeInfo', {})
const [older, newer] = ['a'.repeat(40), 'b'.repeat(40)] as const

t.test('at a start, values sealed with an older secret are sealed with the newest', async t => {
  const { user_id: member } = await db.kysely
    .insertInto('staff_users')
    .values({ user_id: randomUUID(), email: 'a@b.example', name: 'A', created_at: now.at })
    .returning('user_id')
    .executeTakeFirstOrThrow()
  const tokens = sealOf([older]),
    factors = sealOf([older], 'secondFactors'),
    keys = sealOf([older], 'erasedOrders')
  await db.kysely
    .insertInto('analytics_settings')
    .values({
      store_id: store,
      measurement_ids: '[]',
      connected_at: now.at,
      refresh_token: tokens.close(store, 'refresh'),
      access_token: tokens.close(store, 'access'),
      api_secret: tokens.close(store, 'secret'),
    })
    .execute()
  await db.kysely
    .updateTable('platform_tokens')
    .set({
      access_token: tokens.close(store, 'shop access'),
      refresh_token: tokens.close(store, 'shop refresh'),
    })
    .execute()
  await db.kysely
    .updateTable('staff_users')
    .set({ totp_secret: factors.close(member, 'factor') })
    .where('user_id', '=', member)
    .execute()
  await db.kysely
    .updateTable('stores')
    .set({ erasure_key: keys.close(store, 'key') })
    .execute()
  const stored = async () => ({
    ...(await db.kysely
      .selectFrom('analytics_settings')
      .select(['refresh_token', 'access_token', 'api_secret'])
      .executeTakeFirstOrThrow()),
    ...(await db.kysely
      .selectFrom('platform_tokens')
      .select(['access_token as shop_access', 'refresh_token as shop_refresh'])
      .executeTakeFirstOrThrow()),
    ...(await db.kysely
      .selectFrom('staff_users')
      .select('totp_secret')
      .where('user_id', '=', member)
      .executeTakeFirstOrThrow()),
    ...(await db.kysely
      .selectFrom('stores')
      .select('erasure_key')
      .where('store_id', '=', store)
      .executeTakeFirstOrThrow()),
  })
  const read = async (secret: string) => {
    const found = await stored()
    return [
      sealOf([secret]).open(store, found.refresh_token!),
      sealOf([secret]).open(store, found.access_token!),
      sealOf([secret]).open(store, found.api_secret!),
      sealOf([secret]).open(store, found.shop_access!),
      sealOf([secret]).open(store, found.shop_refresh!),
      sealOf([secret], 'secondFactors').open(member, found.totp_secret!),
      sealOf([secret], 'erasedOrders').open(store, found.erasure_key!),
    ]
  }
  const all = ['refresh', 'access', 'secret', 'shop access', 'shop refresh', 'factor', 'key']
  await resealAll(db, [newer])
  t.same(await read(older), all, 'without the older secret in the ring, nothing is changed or lost')
  await resealAll(db, [newer, older])
  t.same(await read(newer), all)
  const before = await stored()
  await resealAll(db, [newer, older])
  t.same(await stored(), before, 'values that have the newest seal are not written again')
})
