import t from 'tap'
import type { Platform } from '../../../engine/platform/adapter.ts'
import { startWithShop } from '../support/with-shop.ts'
import { firstShop } from '../support/small-shop.ts'
import { webhook } from '../support/traffic.ts'

let themeId = 'old'
/** Answers to the question for the shop. An answer says what was so when it was asked. */
let answer: (now: Promise<void>) => Promise<void> = now => now
const { engine, call, now, close } = await startWithShop({
  wrapPlatform: (platform: Platform): Platform => ({
    ...platform,
    shop: async shop => {
      const record = { ...(await platform.shop(shop)), themeId }
      await answer(Promise.resolve())
      return record
    },
  }),
})
t.teardown(close)
let deliveries = 0
const deliver = () =>
  engine.app.inject({
    method: 'POST',
    url: '/webhooks/demo/themes-publish',
    ...webhook('{}', {
      'x-demo-topic': 'themes/publish',
      'x-demo-shop': firstShop,
      'x-demo-delivery-id': `theme-${deliveries++}`,
      'x-demo-triggered-at': now.at.toISOString(),
    }),
  })

t.test('of two published themes at once, the newer one stays', async t => {
  const isAsked = Promise.withResolvers<void>(),
    answers = Promise.withResolvers<void>()
  answer = () => {
    answer = now => now
    isAsked.resolve()
    return answers.promise
  }
  const first = deliver()
  await isAsked.promise
  themeId = 'new'
  t.equal((await deliver()).statusCode, 200)
  answers.resolve()
  t.equal((await first).statusCode, 200)
  t.match(await call('storeInfo', {}), { themeId: 'new' })
})
