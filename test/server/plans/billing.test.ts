import t from 'tap'
import { askedPlan } from '../../../domain/plans/plan-outcome.ts'
import { textOf } from '../support/merchant.ts'
import { billing, get, merchant, put } from '../support/plan-pages-shop.ts'

t.test('billing says in how many days usage resets, and a subscription ends', async t => {
  const inDays = (days: number) => new Date(merchant.now.at.getTime() + days * 86_400_000)
  await put({
    onboarded: true,
    has_subscribed: true,
    plan_id: 'core-100k-monthly',
    subscription_status: 'Active',
    subscription_id: 'sub-1',
    usage_reset: inDays(12),
    trial_end: null,
  })
  t.match(textOf((await get(billing)).body), /Usage resets \d+ \w+ \d{4}, in 12 days/)
  await put({ subscription_status: 'Accepted', current_subscription_end: inDays(4) })
  t.match(textOf((await get(billing)).body), /Subscription ends \d+ \w+ \d{4}, in 4 days/)
  await put({ current_subscription_end: inDays(-4) })
  t.match(textOf((await get(billing)).body), /Subscription ended \d+ \w+ \d{4}(?!,)/)
  await put({ subscription_status: 'Active' })
})

t.test('back from the shop’s payment page, billing says once what came of it', async t => {
  const back = await get(`${billing}?${askedPlan}=core-100k-monthly`)
  t.match([back.statusCode, back.headers.location], [303, billing])
  const toast = /<div class="toast" data-tone="good">/
  t.match((await get(billing)).body, toast)
  t.notMatch((await get(billing)).body, toast)
})

t.test('a plan’s offer leads back to the list as it was searched', async t => {
  const { body } = await get('/tests/list/ended?search=mug&ask=upgrade&feature=LiftAssists')
  t.match(
    body,
    /<a class="button secondary" href="\/tests\/list\/ended\?search=mug" data-close="true">Not now/,
  )
})

t.test('settings name the address that answers questions', async t => {
  t.match((await get('/settings/support')).body, 'mailto:help@twinshelf.example')
})

t.test('a store without a plan reads when its subscription ended, if that is known', async t => {
  const shown = async (values: Parameters<typeof put>[0]) => {
    await put({ subscription_id: null, plan_id: null, ...values })
    return textOf((await get('/overlay/noplan')).body)
  }
  const end = new Date('2026-11-02T12:00:00Z')
  t.match(
    await shown({ subscription_status: 'Cancelled', current_subscription_end: end }),
    /2 Nov 2026|Nov 2, 2026/,
  )
  t.notMatch(
    await shown({ subscription_status: 'Cancelled', current_subscription_end: null }),
    /1970|Invalid/,
  )
  t.notMatch(
    await shown({ subscription_status: 'Frozen', current_subscription_end: end }),
    /2 Nov 2026|Nov 2, 2026/,
  )
})
