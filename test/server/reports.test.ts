import t from 'tap'
import { startMerchant, textOf } from './merchant.ts'
import { launchTest as launch, visit } from './shoppers.ts'

const merchant = await startMerchant()
const { engine, get, post, close } = merchant
t.teardown(close)
const hour = 3_600_000, day = 24 * hour
const pass = (time: number) => { engine.now.at = new Date(engine.now.at.getTime() + time) }
// Two on the same pages would share their visitors.
const launchTest: typeof launch = async (...about) => {
  await merchant.call('endAllTests', { body: { priceTestsOnly: false } })
  return launch(...about)
}
const textAt = async (path: string) => textOf((await get(path)).body)

t.test('a test that nobody has met says what it waits for, and claims nothing', async t => {
  const id = await launchTest(merchant, 'Just launched')
  const { statusCode, body } = await get(`/tests/${id}`)
  const text = textOf(body)
  t.equal(statusCode, 200)
  for (const words of ['Just launched', 'Running', 'Collecting', 'Day 1 of 14', '50 / 50 split', 'Page element test on /products/*', '0 of 100', '0 of 25', 'Nobody has met it yet', '0 of 4 checks passed', 'Nothing to check yet']) t.match(text, words)
  t.notMatch(text, /% to win|NaN|undefined|null|Infinity/)
  t.notMatch(text, /Export|Apply/, 'nothing is offered that is not there')
  t.equal(textOf((await get(`/tests/${id}/overview`)).body).length, text.length, 'the overview has an address of its own')
})

t.test('the report says what the shoppers did, to the unit and the cent', async t => {
  const id = await launchTest(merchant, 'Ships today', { variantTitle: 'Promise by the button' })
  pass(hour)
  await visit(merchant, id, [
    { arm: 0, visitors: 130, clickers: 60, adders: 40, buyers: 20, price: '34.50' },
    { arm: 1, visitors: 128, clickers: 64, adders: 52, buyers: 44, price: '34.25' },
  ])
  const { body } = await get(`/tests/${id}`)
  const rows = [...body.matchAll(/<tr>(?:(?!<\/tr>)[\s\S])*<\/tr>/g)].map(m => textOf(m[0]))
  t.ok(rows.some(row => /Control 130 20 15\.38% Baseline/.test(row)), 'control')
  t.ok(rows.some(row => /Variant Promise by the button 128 44 34\.38% \+123\.4%/.test(row)), 'variant')
  t.ok(rows.some(row => /Control arm 20 \$690\.00/.test(row)) && rows.some(row => /Variant arm 44 \$1,507\.00/.test(row)) && rows.some(row => /total.* 64 \$2,197\.00/.test(row)), 'the ledger')
  const text = textOf(body)
  t.match(text, 'Closes to the cent')
  t.match(text, 'Too early', 'no verdict in the first week, whatever the lead')
  t.match(text, /4 of 4 checks passed/)
  t.match(body, /role="img" aria-label="Lift \+123\.4%, 90% interval \+\d+\.\d% to \+\d+\.\d%"/)
  t.match(body, 'data-island="chart"')

  for (const [goal, count, value] of [['rpv', 44, '$11.77'], ['aov', 44, '$34.25'], ['ctr', 64, '50.00%'], ['acr', 52, '40.63%']] as const)
    t.match(await textAt(`/tests/${id}?goal=${goal}`), new RegExp(`Promise by the button 128 ${count} ${value.replace(/[$.]/g, '\\$&')}`), goal)
  t.match(await textAt(`/tests/${id}?goal=happiness`), /Daily conversion rate/, 'an unknown goal shows the primary one')
  t.notMatch(await textAt(`/tests/${id}?goal=ctr`), /Expected loss/, 'clicks have no price')

  await t.test('and at the planned end names the winner', async t => {
    pass(14 * day)
    await engine.engine.rollUp()
    const won = await get(`/tests/${id}`)
    t.match(textOf(won.body), /Winner “Promise by the button” turns 123\.4% more visitors into buyers\./)
    t.match(won.body, /class="verdict" data-tone="good"/)
    t.match(textOf(won.body), /Verdict reached/)
  })
})

t.test('a broken split takes the winner away and points to the stage', async t => {
  const id = await launchTest(merchant, 'Lopsided')
  pass(hour)
  await visit(merchant, id, [{ arm: 0, visitors: 200, buyers: 20 }, { arm: 1, visitors: 120, buyers: 40 }])
  pass(8 * day)
  await engine.engine.rollUp()
  const { body } = await get(`/tests/${id}`)
  const text = textOf(body)
  t.match(body, /class="verdict" data-tone="bad"/)
  t.match(text, 'Split broken')
  t.match(text, /seen 62\.5% \/ 37\.5%/)
  t.match(body, 'href="#trust"')
  t.notMatch(text, 'Winner')
})

t.test('hostile titles are words wherever they stand', async t => {
  const hostile = '</title></script><script>alert(1)</script>"\u2028'
  const id = await launchTest(merchant, hostile, { variantTitle: hostile })
  pass(hour)
  await visit(merchant, id, [{ arm: 0, visitors: 2 }, { arm: 1, visitors: 2 }])
  const { body } = await get(`/tests/${id}`)
  t.notMatch(body, '<script>alert')
  t.notMatch(body, '</title></script>')
})

t.test('a report that is not there, or not ours, is a page that says so', async t => {
  for (const path of ['/tests/00000000-0000-4000-8000-000000000000', '/tests/nonsense', '/tests/x/overview']) {
    const { statusCode, body } = await get(path)
    t.equal(statusCode, 404, path)
    t.match(body, '<html')
  }
  t.equal((await post('/tests/00000000-0000-4000-8000-000000000000/pause')).statusCode, 404)
})
