import t from 'tap'
import type { NewSubscription } from '../../../demo-shop/billing/billing-rows.ts'
import { day } from '../../../domain/time-units.ts'
import { openWeb, receiver } from './support.ts'

const apps = '/admin/store/fern-and-kiln/settings/apps'
const asked: NewSubscription = {
  planId: '',
  title: 'Advanced 100k',
  price: 199,
  isAnnual: false,
  trialDays: 14,
  discount: null,
  takesEffect: 'immediately',
  returnPath: 'https://app.test/plans/done?plan_id=advanced',
  given: { test: true },
}

async function withApp(t: Parameters<typeof openWeb>[0]) {
  const app = await receiver(t, () => 200)
  let now = new Date('2026-11-20T15:00:00Z')
  const shop = await openWeb(t, { engineOrigin: app.origin, clock: () => now })
  const { charges } = shop.web
  const answer = (id: string, answer: string) =>
    shop.app.inject({
      method: 'POST',
      url: charges.confirmationPath(id).replace('/confirm_recurring', '/answer_recurring'),
      payload: { answer },
    })
  const told = async () => {
    await shop.delivered()
    return app.deliveries
      .map(
        ({ body }) =>
          (JSON.parse(body) as { app_subscription: Record<string, string> }).app_subscription,
      )
      .map(({ admin_graphql_api_id, status }) => [admin_graphql_api_id?.split('/').at(-1), status])
  }
  const pass = (days: number) => {
    now = new Date(now.getTime() + days * day)
    charges.settle()
  }
  return { ...shop, charges, answer, told, pass }
}

t.test('the merchant approves on a signed page and comes back with the number', async t => {
  const { app, charges, answer, told } = await withApp(t)
  t.same(charges.all(), [], 'a new shop pays for nothing')
  const { id } = charges.create(asked)
  t.match(id, /^\d{11}$/)
  const page = await app.inject(charges.confirmationPath(id))
  t.match(page.body, 'Test charge')
  t.match(page.body, /Free trial<\/dt><dd>14 days/)
  t.match(page.headers['content-security-policy'], "frame-ancestors 'none'")
  const unsigned = await app.inject(charges.confirmationPath(id).replace(/=.*/, '=x'))
  t.equal(unsigned.statusCode, 403)
  const back = await answer(id, 'approve')
  t.equal(back.headers.location, `https://app.test/plans/done?plan_id=advanced&charge_id=${id}`)
  t.equal((await answer(id, 'approve')).statusCode, 303, 'a second click changes nothing')
  t.same(await told(), [[id, 'ACTIVE']])
  t.match((await app.inject(apps)).body, 'Advanced 100k')
})

t.test('every status: declined, expired, frozen, accepted, cancelled', async t => {
  const { app, charges, answer, told, pass } = await withApp(t)
  const declined = charges.create(asked)
  t.equal(
    (await answer(declined.id, 'decline')).headers.location,
    '/admin/store/fern-and-kiln/apps/twinshelf',
  )
  const expired = charges.create(asked)
  pass(2)
  const first = charges.create(asked)
  await answer(first.id, 'approve')
  for (const act of ['freeze', 'unfreeze'])
    t.equal(
      (await app.inject({ method: 'POST', url: `${apps}/charges/${first.id}/${act}` })).statusCode,
      303,
    )
  const later = charges.create({ ...asked, takesEffect: 'nextCycle', trialDays: 0 })
  await answer(later.id, 'approve')
  t.equal(charges.byId(later.id)!.status, 'Accepted')
  pass(14)
  await app.inject({ method: 'POST', url: `${apps}/charges/${later.id}/cancel` })
  t.same(await told(), [
    [declined.id, 'DECLINED'],
    [expired.id, 'EXPIRED'],
    [first.id, 'ACTIVE'],
    [first.id, 'FROZEN'],
    [first.id, 'ACTIVE'],
    [later.id, 'ACCEPTED'],
    [first.id, 'CANCELLED'],
    [later.id, 'ACTIVE'],
    [later.id, 'CANCELLED'],
  ])
})

t.test('an uninstall ends what the app charges', async t => {
  const { app, charges, answer } = await withApp(t)
  const { id } = charges.create(asked)
  await answer(id, 'approve')
  await app.inject({ method: 'POST', url: `${apps}/uninstall` })
  t.equal(charges.byId(id)!.status, 'Cancelled')
})
