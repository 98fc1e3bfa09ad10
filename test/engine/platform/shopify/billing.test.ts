import { createHash } from 'node:crypto'
import t from 'tap'
import { day } from '../../../../domain/time-units.ts'
import type { SubscriptionRequest } from '../../../../engine/platform/billing.ts'
import { refusalOf, shopifyShop as shop, shopifyStage, statusOf } from '../../support/shops/shopify-stage.ts' // prettier-ignore

const { platform, demo, face } = await shopifyStage(t)
const request = (over: Partial<SubscriptionRequest> = {}): SubscriptionRequest => ({
  planId: 'core-50k-monthly',
  title: 'Core 50k',
  price: 99,
  isAnnual: false,
  trialDays: 14,
  discount: null,
  takesEffect: 'immediately',
  returnPath: '/settings/billing',
  ...over,
})

t.test(
  'a subscription is asked for, approved on Shopify’s page, extended and cancelled',
  async t => {
    const { id, confirmationUrl } = await platform.createSubscription(shop, request())
    t.match(confirmationUrl, /^http/)
    const find = async () => (await platform.subscriptions(shop)).find(one => one.id === id)!
    t.match(await find(), {
      planId: 'core-50k-monthly',
      status: 'Pending',
      trialEndsAt: null,
      currentPeriodEndsAt: null,
    })
    demo.web!.charges.approve(id)
    const active = await find()
    t.equal(active.status, 'Active')
    t.equal(Date.parse(active.trialEndsAt!) - Date.parse(active.createdAt), 14 * day)
    t.ok(active.currentPeriodEndsAt! > active.createdAt)
    await platform.extendTrial(shop, id, 3)
    t.ok((await find()).trialEndsAt! > active.trialEndsAt!)
    await platform.cancelSubscription(shop, id)
    t.match(await find(), { status: 'Cancelled', currentPeriodEndsAt: /^20/ })
    t.ok([404, 422].includes((await statusOf(platform.cancelSubscription(shop, '999')))!))
  },
)

t.test('discounts and the next cycle are asked for as the plan page says', async t => {
  for (const discount of [
    { kind: 'percentage' as const, value: 20 },
    { kind: 'fixed' as const, value: 10 },
  ]) {
    const made = await platform.createSubscription(
      shop,
      request({ discount, isAnnual: true, takesEffect: 'nextCycle', planId: 'growth' }),
    )
    t.match((await platform.subscriptions(shop))[0], { id: made.id, planId: 'growth' })
  }
})

t.test('the pixel gets its settings, once, and goes again', async t => {
  const pixel = (collect: string) => ({ script: Buffer.from(''), settings: { shop, collect } })
  const held = () => demo.web!.installs.all('pixel').length
  await platform.publishPixel(shop, null)
  await platform.publishPixel(shop, pixel('https://app.example/collect/order?a'))
  t.equal(held(), 1)
  await platform.publishPixel(shop, pixel('https://app.example/collect/order?a'))
  await platform.publishPixel(shop, pixel('https://app.example/collect/order?b'))
  t.equal(held(), 1)
  await platform.publishPixel(shop, null)
  t.equal(held(), 0)
  const { scopes } = face.settings.current()
  face.settings.set({ scopes: scopes.filter(one => !/pixels|customer_events/.test(one)) })
  t.equal((await refusalOf(platform.publishPixel(shop, pixel('x'))))?.status, 422)
  face.settings.set({ scopes })
})

t.test('pictures are kept among the shop’s files', async t => {
  const body = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64') // prettier-ignore
  const name = 'twinshelf-1.png'
  t.equal(await platform.picture(shop, name), null)
  await platform.publishPicture(shop, { name, type: 'image/png', body })
  t.match(await platform.picture(shop, name), {
    url: /^http/,
    hash: createHash('sha256').update(body).digest('hex'),
  })
  await platform.removePicture(shop, name)
  t.equal(await platform.picture(shop, name), null)
  await platform.removePicture(shop, name)
})
