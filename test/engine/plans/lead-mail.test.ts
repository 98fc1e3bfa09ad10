import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { quotas } from '../../../domain/quota.ts'
import { maxAttempts } from '../../../domain/jobs/job-lane.ts'
import { engineConfig } from '../../../engine/config.ts'
import { run } from '../../../engine/db/raw.ts'
import { startJobs } from '../../../engine/jobs/run.ts'
import { leadMail, queueLeadMail } from '../../../engine/plans/lead-mail.ts'
import { mailer } from '../../../engine/staff/people/mail.ts'
import { refusal, startEngine } from '../support/engine.ts'
import { freshDb } from '../support/harness.ts'
import { quietLog } from '../support/quiet-log.ts'
import { seedStore } from '../support/seeds.ts'
import { smtpStandIn } from '../support/smtp-stand-in.ts'

const mailed = { APP_ORIGIN: 'https://app.example.test', LEADS_EMAIL: 'sales@twinshelf.test' }
/** An engine with a mail server, and an address for requests unless `env` takes it away. */
async function startMailed(t: Test, env: Record<string, string> = {}) {
  const smtp = await smtpStandIn()
  const engine = await startEngine({}, { ...smtp.env, ...mailed, ...env })
  t.teardown(async () => {
    await engine.close()
    await smtp.close()
  })
  const { id: storeId } = await engine.call('storeInfo', {})
  return {
    ...engine,
    smtp,
    storeId,
    ask: async (body: object, query: object = {}) => {
      const { leadId } = await engine.call('requestCustomPlan', {})
      await engine.call('updateCustomPlan', { params: { id: leadId }, query, body })
      return leadId
    },
    later: (minutes: number) => {
      engine.now.at = new Date(engine.now.at.getTime() + minutes * 60_000)
    },
    leads: () =>
      engine.db.kysely
        .selectFrom('leads')
        .selectAll()
        .orderBy('email', ob => ob.asc().nullsLast())
        .execute(),
  }
}
const mara = { firstName: 'Mara', lastName: 'Lindqvist', email: 'mara@shop.example' }

t.test('a request is mailed once, with what is needed to answer it', async t => {
  const { engine, smtp, storeId, ask, leads } = await startMailed(t)
  const id = await ask({ ...mara, firstName: 'Mara\r\nBcc: all@b.test\n\nPay here' })
  await engine.runJobs()
  const mail = await smtp.next()
  t.equal(mail.to, 'sales@twinshelf.test')
  t.match(mail.source, /^Subject: Fern & Kiln asks for a custom plan\r$/m)
  t.match(mail.source, /^Reply-To: mara@shop\.example\r$/m)
  t.match(mail.text, /^Name: Mara Bcc: all@b\.test Pay here Lindqvist\r?$/m, 'it stays one line')
  t.match(mail.text, 'E-mail: mara@shop.example')
  t.match(mail.text, 'They sent the form')
  t.match(mail.text, `https://app.example.test/admin/leads/${storeId}/${id}`)
  t.match(await leads(), [{ state: 'open', via: 'form', mailed_at: Date }])
  await engine.runJobs()
  t.equal(smtp.waiting(), 0)
})

t.test('the mail is sent again until the mail server takes it, and the request stays', async t => {
  const { engine, smtp, ask, leads, later } = await startMailed(t)
  smtp.isOpen(false)
  await ask(mara)
  for (let attempt = 0; attempt < maxAttempts + 2; attempt++) {
    await engine.runJobs()
    later(61)
  }
  t.match(await leads(), [{ email: mara.email, mailed_at: null }])
  smtp.isOpen(true)
  await engine.runJobs()
  t.match((await smtp.next()).text, 'E-mail: mara@shop.example')
  t.match(await leads(), [{ mailed_at: Date }])
})

t.test(
  'the same person asks again: the open request is renewed, and mailed once a day',
  async t => {
    const { engine, smtp, ask, leads, later } = await startMailed(t)
    const first = await ask(mara)
    await engine.runJobs()
    await smtp.next()
    for (const email of ['mara@shop.example', 'MARA@shop.example']) await ask({ ...mara, email })
    t.match(
      (await leads()).map(({ lead_id, email }) => [lead_id, email]),
      [
        [first, 'MARA@shop.example'],
        [String, null],
      ],
      'one request, and an empty one for the next person',
    )
    later(59)
    await engine.runJobs()
    t.equal(smtp.waiting(), 0, 'a changed contact waits for an hour')
    later(2)
    await engine.runJobs()
    t.equal((await smtp.next()).source.includes('Reply-To: MARA@shop.example'), true)
    await ask({ ...mara, email: 'MARA@shop.example' })
    later(61)
    await engine.runJobs()
    t.equal(smtp.waiting(), 0)
    later(24 * 60)
    await ask({ ...mara, email: 'MARA@shop.example' }, { booking: true })
    await engine.runJobs()
    t.match((await smtp.next()).text, 'They were shown your scheduler')
    const other = await ask({ ...mara, email: 'ann@shop.example' })
    t.not(other, first)
  },
)

t.test('a request that is sent twice at once is mailed once', async t => {
  const { engine, smtp, db, ask, call, leads } = await startMailed(t)
  const answer = smtp.hold(),
    id = await ask(mara),
    sending = engine.runJobs()
  await smtp.next()
  await call('updateCustomPlan', { params: { id }, query: {}, body: mara })
  // On PGlite another process cannot start meanwhile.
  const other = db.pool && (await startEngine({ db }, { ...smtp.env, ...mailed }))
  if (other) t.teardown(other.close)
  answer()
  await sending
  for (const each of [engine, other?.engine]) await each?.runJobs()
  t.match(await leads(), [{ mailed_at: Date }])
  t.equal(smtp.waiting(), 0)
})

t.test('a request that changes while it is mailed is mailed again', async t => {
  const { engine, smtp, ask, call } = await startMailed(t)
  const answer = smtp.hold(),
    id = await ask(mara),
    sending = engine.runJobs()
  await smtp.next()
  const body = { ...mara, email: 'ann@shop.example' }
  for (const _ of [1, 2]) await call('updateCustomPlan', { params: { id }, query: {}, body })
  answer()
  await sending
  await engine.runJobs()
  t.match((await smtp.next()).text, 'E-mail: ann@shop.example')
  t.equal(smtp.waiting(), 0)
})

t.test('a request whose mail is being sent when the process stops is mailed once', async t => {
  const smtp = await smtpStandIn(),
    db = await freshDb()
  t.teardown(async () => {
    await smtp.close()
    await db.close()
  })
  const clock = () => new Date(),
    config = engineConfig({ ...smtp.env, ...mailed })
  /** The jobs of one process. */
  const worker = () => {
    const jobs = startJobs({ db, clock, log: quietLog }),
      mail = mailer(config, quietLog)
    leadMail({ db, clock, config, jobs }, mail)
    t.teardown(async () => {
      await jobs.stop()
      await mail.close()
    })
    return jobs
  }
  const storeId = await seedStore(db),
    leadId = randomUUID(),
    first = worker()
  await db.kysely.transaction().execute(async trx => {
    await trx
      .insertInto('leads')
      .values({
        store_id: storeId,
        lead_id: leadId,
        email: mara.email,
        created_at: clock(),
        updated_at: clock(),
      })
      .execute()
    await queueLeadMail({ jobs: first }, trx, { storeId, leadId })
  })
  const answer = smtp.hold(),
    sending = first.runNow()
  await smtp.next()
  const stopped = first.stop()
  answer()
  await Promise.all([stopped, sending])
  await worker().runNow()
  t.equal(smtp.waiting(), 0)
  t.match(await db.kysely.selectFrom('jobs').select('status').execute(), [{ status: 'completed' }])
})

t.test(
  'a request that staff have answered is not mailed, and sending it again reopens it',
  async t => {
    const { engine, smtp, db, ask, leads, call, later } = await startMailed(t)
    smtp.isOpen(false)
    const id = await ask(mara)
    await engine.runJobs()
    await run(db.kysely, `update leads set state = 'answered', note = 'Called'`, [])
    smtp.isOpen(true)
    later(61)
    await engine.runJobs()
    t.equal(smtp.waiting(), 0)
    await call('updateCustomPlan', { params: { id }, query: {}, body: mara })
    t.match(await leads(), [{ state: 'open', note: 'Called', changed_at: Date, changed_by: null }])
    await engine.runJobs()
    await smtp.next()
    await run(db.kysely, `update leads set state = 'closed'`, [])
    t.not(await ask(mara), id, 'a new request does not change a closed one')
  },
)

const onPostgres = {
  skip: !process.env['TEST_DATABASE_URL'] && 'for Postgres, where staff may be half way',
}
t.test(
  'a request that staff close at that moment is open after the merchant renews it',
  onPostgres,
  async t => {
    const { db, ask, call, leads } = await startMailed(t)
    const id = await ask(mara)
    let renewal: Promise<unknown> | undefined
    await db.kysely.transaction().execute(async trx => {
      await run(trx, `update leads set state = 'closed', changed_at = now()`, [])
      renewal = call('updateCustomPlan', { params: { id }, query: {}, body: mara })
      const isWaiting = async () =>
        (
          await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
            db.kysely,
          )
        ).rows.length > 0
      while (!(await isWaiting())) await pause(5)
    })
    await renewal
    t.match(await leads(), [{ state: 'open' }])
  },
)

t.test('only open requests count towards the limit of a store', async t => {
  const { db, call, ask } = await startMailed(t)
  const first = await ask({ ...mara, email: 'm0@shop.example' })
  for (let n = 1; n < quotas.leads; n++) await ask({ ...mara, email: `m${n}@shop.example` })
  t.match(await refusal(call('requestCustomPlan', {})), {
    status: 409,
    problem: { message: /We answer them by email/ },
  })
  await run(db.kysely, `update leads set state = 'answered' where email = 'm0@shop.example'`, [])
  t.ok(await ask(mara))
  const again = { params: { id: first }, query: {}, body: { ...mara, email: 'm0@shop.example' } }
  t.match(
    await refusal(call('updateCustomPlan', again)),
    { status: 409 },
    'opened again, it would be one too many',
  )
})

t.test('without an address nothing fails; a later start mails what waits', async t => {
  const { engine, smtp, db, ask, leads } = await startMailed(t, { LEADS_EMAIL: '' })
  const old = await ask({ ...mara, email: 'old@shop.example' })
  await run(
    db.kysely,
    `update leads set updated_at = updated_at - interval '31 days' where lead_id = $1`,
    [old],
  )
  await ask(mara)
  await engine.runJobs()
  t.equal(smtp.waiting(), 0)
  t.match(await leads(), [{ mailed_at: null }, { mailed_at: null }])
  const second = await startEngine(
    { db },
    { ...smtp.env, LEADS_EMAIL: 'sales@twinshelf.test', APP_ORIGIN: 'https://app.example.test' },
  )
  t.teardown(second.close)
  await second.engine.runJobs()
  t.match((await smtp.next()).text, 'E-mail: mara@shop.example')
  await second.engine.runJobs()
  t.equal(smtp.waiting(), 0, 'a request of more than 30 days ago is only listed')
})

t.test('an address that cannot be one is refused at the start', async t => {
  for (const LEADS_EMAIL of ['nobody', 'a@b.test, c@d.test', 'a@b.test\r\nBcc: c@d.test'])
    t.throws(() => engineConfig({ LEADS_EMAIL }), /LEADS_EMAIL/)
})
