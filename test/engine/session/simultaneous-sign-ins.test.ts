import type { IncomingMessage, ServerResponse } from 'node:http'
import t from 'tap'
import { sealOf } from '../../../engine/session/seal.ts'
import { sessionSecret } from '../support/small-shop.ts'
import { startWithShop } from '../support/with-shop.ts'

const { db, now, shop, call, idToken, close } = await startWithShop()
t.teardown(close)

/** The access tokens that the shop has issued, in its order. */
const issued: string[] = []
/** Sends an answer with new tokens, in the order in which they were issued. */
const answers: (() => void)[] = []
let isHolding = false
shop.app.server.prependListener('request', ({ url }: IncomingMessage, response: ServerResponse) => {
  if (url !== '/admin/api/oauth/token') return
  const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse
  response.end = (...given: unknown[]) => {
    const { access_token } = JSON.parse(String(given[0])) as { access_token?: string }
    if (access_token) issued.push(access_token)
    if (!isHolding) return end(...given)
    answers.push(() => end(...given))
    return response
  }
})

const signIn = async () => call('auth', { body: { idToken: await idToken() } })
/** Two sign-ins whose tokens the shop has issued and not yet answered. */
async function twoSignIns() {
  isHolding = true
  answers.length = 0
  const [first, second] = [await begun(1), await begun(2)]
  isHolding = false
  return { first: () => end(first!, 0), second: () => end(second!, 1) }

  async function begun(count: number): Promise<Promise<unknown>[]> {
    const signing = signIn()
    while (answers.length < count) await new Promise(resolve => setTimeout(resolve, 5))
    return [signing]
  }
  async function end([signing]: Promise<unknown>[], which: number): Promise<void> {
    answers[which]!()
    await signing
  }
}
async function keptToken(): Promise<string> {
  const row = await db.kysely.selectFrom('platform_tokens').selectAll().executeTakeFirstOrThrow()
  return sealOf([sessionSecret]).open(row.store_id, row.access_token!)!
}

// With each exchange, Shopify ends all earlier tokens of the app in the shop.
t.test('of two first sign-ins at once, the tokens that were issued last stay', async t => {
  await db.kysely.deleteFrom('stores').execute()
  const { first, second } = await twoSignIns()
  await first()
  await second()
  t.equal(await keptToken(), issued.at(-1))
})

t.test('the same when the app is installed again', async t => {
  now.at = new Date(now.at.getTime() + 1_000)
  await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/uninstall' })
  await shop.delivered()
  now.at = new Date(now.at.getTime() + 1_000)
  await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/install' })
  const { first, second } = await twoSignIns()
  await first()
  await second()
  t.equal(await keptToken(), issued.at(-1))
})

t.test('the same when the store needs new tokens, whichever answer is first', async t => {
  for (const order of [
    ['first', 'second'],
    ['second', 'first'],
  ] as const) {
    await db.kysely.updateTable('platform_tokens').set({ needs_sign_in_at: now.at }).execute()
    const signIns = await twoSignIns()
    for (const which of order) await signIns[which]()
    t.equal(await keptToken(), issued.at(-1), order.join(', '))
  }
})
