import t from 'tap'
import { textOf } from '../support/merchant.ts'
import { startStaff } from '../support/staff.ts'

const {
  merchant,
  staff: { get, post, call },
  close,
} = await startStaff()
t.teardown(close)
const { id: storeId } = await merchant.call('storeInfo', {})
const storePage = `/admin/stores/trials/${storeId}`
const nobody = '00000000-0000-4000-8000-000000000000'

const ask = async (body: object) => {
  const { leadId } = await merchant.call('requestCustomPlan', {})
  await merchant.call('updateCustomPlan', { params: { id: leadId }, query: {}, body })
  return leadId
}
const menuOf = (html: string) =>
  textOf(/<a href="\/admin\/leads"[^>]*>[\s\S]*?<\/a>/.exec(html)![0]).trim()

t.test('the menu leads to the requests and counts the open ones', async t => {
  t.equal(menuOf((await get('/admin')).body), 'Plan requests')
  const empty = await get('/admin/leads')
  t.match(textOf(empty.body), /No plan requests yet/)
  t.match(textOf(empty.body), /Plan requests are not mailed\. No address is set.* LEADS_EMAIL/)
  t.match(textOf((await get('/admin/health/api')).body), /Plan requests are not mailed/)
  const id = await ask({ firstName: '<b>Mara', email: 'mara@shop.example' })
  for (const path of ['/admin', '/admin/leads', `/admin/leads/${storeId}/${id}`, '/admin/nothing'])
    t.equal(menuOf((await get(path)).body), 'Plan requests 1 open', path)
  const list = await get('/admin/leads')
  t.notMatch(list.body, '<b>Mara')
  t.match(list.body, `href="/admin/leads/${storeId}/${id}"`)
  t.match(list.body, `href="${storePage}"`)
  t.match(
    textOf(list.body),
    /All 1 Open 1 Answered 0 Closed 0 .* <b>Mara mara@shop\.example Fern & Kiln .* Expects an email Open/,
  )
  t.match(textOf((await get('/admin')).body), /1 plan request to answer/)
})

t.test('a member answers a request and marks it; the pages say who and when', async t => {
  const { leads } = await call('adminLeads', { query: {} })
  const path = `/admin/leads/${storeId}/${leads[0]!.id}`
  const page = await get(path)
  t.match(textOf(page.body), /Write an email/)
  t.match(page.body, 'href="mailto:mara@shop.example?subject=Your%20Twinshelf%20plan"')
  t.match(page.body, /<title>&lt;b>Mara \| Twinshelf|<title>&lt;b&gt;Mara \| Twinshelf/)
  const saved = await post(path, { state: 'answered', note: 'Called\r\nher', changedAt: '' })
  t.match(saved, { statusCode: 303, headers: { location: path } })
  const after = textOf((await get(path)).body)
  t.match(after, /Answered .* Last change Demo staff, /)
  t.match(textOf((await get('/admin/leads?state=answered')).body), /Called her/)
  t.match(textOf((await get('/admin/leads?state=open')).body), /No request is open/)
  const store = textOf((await get(storePage)).body)
  t.match(
    store,
    /Plan requests .* <b>Mara mara@shop\.example .* Answered Demo staff, .* Called her/,
  )
  t.match(store, /Changed a plan request: Open to answered\. Note changed/)
  t.equal(menuOf((await get('/admin')).body), 'Plan requests')

  const late = await post(path, { state: 'closed', note: 'Mine & yours', changedAt: '' })
  t.equal(late.statusCode, 409)
  t.match(textOf(late.body), /Somebody else has changed this request meanwhile/)
  t.match(late.body, 'Mine &amp; yours', 'what was typed is not lost')
  t.match(late.body, /value="closed"[^>]*checked|checked[^>]*value="closed"/)
  for (const [fields, message] of [
    [{ state: 'gone', note: '' }, /Choose a state/],
    [{ state: 'open', note: 'x'.repeat(2001) }, /Keep it to 2000 characters; these are 2001/],
  ] as const) {
    const refused = await post(path, fields)
    t.equal(refused.statusCode, 422)
    t.match(textOf(refused.body), message)
  }
  for (const gone of [`/admin/leads/${storeId}/${nobody}`, `/admin/leads/x/${'y'.repeat(65)}`]) {
    t.equal((await get(gone)).statusCode, 404)
    t.equal((await post(gone, { state: 'open', note: '' })).statusCode, 404)
  }
  t.equal((await merchant.get('/admin/leads')).statusCode, 302)
})
