import t from 'tap'
import { billing, cardsOf, get, put, select } from '../support/plan-pages-shop.ts'
import { newStore } from '../support/shop-merchant.ts'

const openDialogs = (html: string) =>
  [...html.matchAll(/<dialog [^>]*id="([^"]+)"[^>]* open=""/g)].map(([, id]) => id)

t.test(
  'without script the slider’s form asks for its step, and keeps host, shop and code',
  async t => {
    await put(newStore)
    const { body } = await get(`${select}?step=2&billing=annual&shop=fern-and-kiln.demo-shop.test`)
    t.match(cardsOf(body)[0], /^Core \$134 a month/)
    const form = /<form class="card plan-controls"[\s\S]*?<\/form>/.exec(body)![0]
    t.match(form, 'action="/overlay/selectplan?shop=fern-and-kiln.demo-shop.test"')
    t.match(form, '<input type="hidden" name="shop" value="fern-and-kiln.demo-shop.test"/>')
    t.match(form, /<noscript><button class="secondary small">Show plans<\/button><\/noscript>/)
    t.match(
      body,
      'action="/overlay/selectplan?visitors=250000&amp;billing=annual&amp;shop=fern-and-kiln.demo-shop.test"',
      'a plan is requested with the same position',
    )
  },
)

t.test(
  'links ask for the comparison and for a downgrade; the answer has the dialog open',
  async t => {
    await put({
      onboarded: true,
      has_subscribed: true,
      subscription_status: 'Active',
      plan_id: 'advanced-100k-monthly',
    })
    t.same(openDialogs((await get(billing)).body), [])
    const compare = (await get(`${billing}?visitors=50000&billing=annual&ask=compare`)).body
    t.same(openDialogs(compare), ['plan-compare'])
    t.match(
      compare,
      'href="/settings/billing?visitors=50000&amp;billing=annual" data-close="true">Close',
      'the page without the dialog has the same position',
    )
    const asked = 'visitors=100000&billing=monthly&ask=downgrade&plan=core-100k-monthly'
    const { body } = await get(`${billing}?${asked}`)
    t.match(body, `href="/settings/billing?${asked.replaceAll('&', '&amp;')}" data-modal=`)
    t.same(openDialogs(body), ['downgrade-core-100k-monthly'])
    for (const query of [
      'ask=downgrade',
      'ask=downgrade&plan=pro-100k-monthly',
      'ask=downgrade&plan=%3Cscript%3E',
      'ask=downgrade&plan=core-50k-monthly',
    ])
      t.same(
        openDialogs((await get(`${billing}?visitors=100000&billing=monthly&${query}`)).body),
        [],
        query,
      )
  },
)
