import t from 'tap'
import { run } from '../../../engine/db/raw.ts'
import { refusal } from '../support/engine.ts'
import { seedStore } from '../support/seeds.ts'
import { password, startOffice, tokenIn } from '../support/staff-office.ts'

const office = await startOffice({ LEADS_EMAIL: 'sales@twinshelf.test' })
const { engine, smtp, call } = office
const { db, now } = engine
t.teardown(office.close)
await call('setPassword', { body: { token: tokenIn((await smtp.next()).text), password } })
const { token, user } = await office.signIn()
const { id: storeId, name: storeName } = await engine.call('storeInfo', {})
const nobody = '00000000-0000-4000-8000-000000000000'

const ask = async (email: string, firstName = '') => {
  const { leadId } = await engine.call('requestCustomPlan', {})
  await engine.call('updateCustomPlan', {
    params: { id: leadId },
    query: {},
    body: { firstName, lastName: 'Lindqvist', email },
  })
  now.at = new Date(now.at.getTime() + 1_000)
  return leadId
}
const lead = await ask('mara@shop.example', 'Mara')
const change = (body: object, leadId = lead, own = token) =>
  call(
    'changeLead',
    {
      params: { id: storeId, leadId },
      body: { state: 'open', note: '', changedAt: null, ...body },
    },
    own,
  )

t.test('what a merchant sent is listed with its store; what was only begun is not', async t => {
  await engine.call('requestCustomPlan', {})
  t.same(await call('staffMenu', {}, token), { openLeads: 1 })
  t.match(await call('adminLeads', { query: {} }, token), {
    count: 1,
    counts: { open: 1, answered: 0, closed: 0 },
    mailing: { address: 'sales@twinshelf.test', isMailOn: true },
    leads: [
      {
        id: lead,
        store: { id: storeId, name: storeName },
        name: 'Mara Lindqvist',
        email: 'mara@shop.example',
        via: 'form',
        state: 'open',
        changed: null,
        mail: /sent|waiting/,
      },
    ],
  })
  await engine.engine.runJobs()
  await smtp.next()
  t.match(await call('adminLead', { params: { id: storeId, leadId: lead } }, token), {
    mail: 'sent',
  })
})

t.test(
  'a member marks a request and keeps a note; the log names neither person nor note',
  async t => {
    const changed = await change({ state: 'answered', note: ' Wrote to Mara, wants 3M \n' })
    t.match(changed, {
      state: 'answered',
      note: 'Wrote to Mara, wants 3M',
      changed: { by: user.name, at: String },
    })
    t.same(await call('staffMenu', {}, token), { openLeads: 0 })
    const { acts, leads } = await call('adminStore', { params: { id: storeId } }, token)
    t.match(acts[0], {
      by: { name: user.name },
      act: 'Changed a plan request',
      detail: 'Open to answered. Note changed',
    })
    t.notMatch(JSON.stringify(acts), /Mara|mara@/)
    t.match(leads, [{ id: lead, note: 'Wrote to Mara, wants 3M' }])

    t.match(await refusal(change({ state: 'closed' })), {
      status: 409,
      problem: { fields: [{ field: 'note', message: /Somebody else has changed/ }] },
    })
    const at = changed.changed!.at
    const count = acts.length
    await change({ state: 'answered', note: 'Wrote to Mara, wants 3M', changedAt: null })
    t.equal(
      (await call('adminStore', { params: { id: storeId } }, token)).acts.length,
      count,
      'saving the same is no change',
    )
    t.match(await change({ state: 'closed', note: '', changedAt: at }), {
      state: 'closed',
      note: '',
    })
  },
)

t.test('the list is searched, filtered, sorted and paged', async t => {
  const ann = await ask('ann@shop.example', 'Ann')
  const other = await seedStore(db, { shop: 'other.demo-shop.test', name: 'Another' })
  await run(
    db.kysely,
    `insert into leads (store_id, lead_id, email, first_name, created_at, updated_at) select $1, gen_random_uuid(), 'p' || n || '@b.test', 'P', $2::timestamptz, $2::timestamptz + make_interval(secs => n) from generate_series(1, 30) n`,
    [other, now.at],
  )
  const list = (query: object) => call('adminLeads', { query }, token)
  t.match(await list({ search: 'ANN@' }), { count: 1, leads: [{ id: ann }] })
  t.equal((await list({ search: 'another' })).count, 30)
  t.equal((await list({ search: '%' })).count, 0)
  t.match(await list({ state: 'closed' }), { count: 1, leads: [{ id: lead }] })
  t.match(await list({}), { counts: { open: 31, answered: 0, closed: 1 } })
  t.match((await list({ perPage: 1 })).leads, [{ email: 'p30@b.test' }], 'the newest first')
  t.match((await list({ sort: 'name', perPage: 1 })).leads, [{ id: ann }])
  const pages = await Promise.all([0, 1, 2, 3].map(page => list({ page, perPage: 10 })))
  t.equal(new Set(pages.flatMap(({ leads }) => leads.map(({ id }) => id))).size, 32)
  t.equal(
    (await call('adminStore', { params: { id: other } }, token)).leads.length,
    20,
    'a store’s page has the newest twenty',
  )
  t.match(await call('adminTrends', {}, token), { openLeads: 31 })
  t.match(await call('adminApiHealth', {}, token), {
    leads: { address: 'sales@twinshelf.test', isMailOn: true, open: 31, failing: 0 },
  })
})

t.test('a mail that the server refuses is named until it is sent', async t => {
  await engine.engine.runJobs()
  smtp.isOpen(false)
  const id = await ask('late@shop.example')
  await engine.engine.runJobs()
  t.match(await call('adminLead', { params: { id: storeId, leadId: id } }, token), {
    mail: 'failing',
  })
  t.match((await call('adminApiHealth', {}, token)).leads, { failing: 1 })
  t.equal((await call('adminLeads', { query: {} }, token)).failing, 1)
  await change({ state: 'closed' }, id)
  t.equal(
    (await call('adminLeads', { query: {} }, token)).failing,
    0,
    'a closed request needs no mail',
  )
  smtp.isOpen(true)
})

t.test('an unknown request is a 404, and only staff may ask', async t => {
  const empty = (await engine.call('requestCustomPlan', {})).leadId
  for (const [id, leadId] of [
    [storeId, nobody],
    [nobody, lead],
    [storeId, 'x'],
    [storeId, empty],
  ] as const) {
    t.equal(
      (await refusal(call('adminLead', { params: { id, leadId } }, token))).status,
      404,
      `${id} ${leadId}`,
    )
    t.equal(
      (
        await refusal(
          call(
            'changeLead',
            { params: { id, leadId }, body: { state: 'closed', note: '', changedAt: null } },
            token,
          ),
        )
      ).status,
      404,
    )
  }
  t.match(await refusal(change({ note: 'x'.repeat(2001) })), { status: 400 })
  t.equal((await refusal(call('adminLeads', { query: {} }, engine.token))).status, 401)
})
