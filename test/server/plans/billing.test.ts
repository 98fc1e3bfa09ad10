import t from 'tap'
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
