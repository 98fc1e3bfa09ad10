import t from 'tap'
import { developmentStaff } from '../../../../engine/platform/demo/demo-staff.ts'
import { staffCaller } from '../../../server/support/staff.ts'
import { startEngine, refusal } from '../../support/engine.ts'
import { logInto, password, startOffice } from '../../support/staff-office.ts'

t.test('the first member is created only once', async t => {
  const {
    engine: { db },
    smtp,
    log,
    close,
  } = await startOffice()
  t.teardown(close)
  t.equal((await smtp.next()).to, 'first@twinshelf.test')
  const second = await startEngine(
    { db, log: logInto(log) },
    { ...smtp.env, ADMIN_EMAIL: 'other@twinshelf.test' },
  )
  t.equal((await db.kysely.selectFrom('staff_users').selectAll().execute()).length, 1)
  await second.close()
  t.equal(smtp.waiting(), 0)
})

t.test('an address is throttled', async t => {
  const other = await startEngine({}, { STAFF_SIGN_INS_PER_ADDRESS: '3' })
  const own = staffCaller({ engine: other })
  for (let i = 0; i < 3; i++)
    t.equal(
      (await refusal(own('staffSignIn', { body: { email: `a${i}@twinshelf.test`, password } })))
        .status,
      401,
    )
  t.equal(
    (await refusal(own('staffSignIn', { body: { email: 'b@twinshelf.test', password } }))).status,
    429,
  )
  for (let i = 0; i < 3; i++)
    await own('requestPasswordLink', { body: { email: `a${i}@twinshelf.test` } })
  t.equal(
    (await refusal(own('requestPasswordLink', { body: { email: 'b@twinshelf.test' } }))).status,
    429,
  )
  await other.close()
})

t.test(
  'without SMTP, development logs the mail, and production logs only that mail is not configured',
  async t => {
    const answers: object[] = []
    for (const NODE_ENV of ['development', 'production']) {
      const log = { text: '' }
      const own = await startEngine(
        { log: logInto(log) },
        { NODE_ENV, ADMIN_EMAIL: 'first@twinshelf.test', APP_ORIGIN: 'https://app.example.test' },
      )
      answers.push(
        await staffCaller({ engine: own })('requestPasswordLink', {
          body: { email: 'first@twinshelf.test' },
        }),
      )
      await own.close()
      t.match(log.text, 'mail is not configured')
      const links = log.text.match(/reset\?token=[\w-]{43}/g) ?? []
      t.equal(
        links.length,
        NODE_ENV === 'production' ? 0 : 2,
        `${NODE_ENV}: the invitation and the link`,
      )
    }
    t.same(answers[0], answers[1])
  },
)

t.test('the demo member exists in development, and never in production', async t => {
  const demo = await startEngine()
  const own = staffCaller({ engine: demo })
  t.match(await demo.engine.samples.staff(), { email: 'staff@twinshelf.test' })
  const { token, user } = await own('staffSignIn', { body: developmentStaffBody })
  t.match(await demo.engine.samples.staff(), developmentStaffBody, 'it is created once')
  t.equal((await own('staffUsers', { query: {} }, token)).count, 1)
  await demo.db.kysely
    .updateTable('staff_users')
    .set({ disabled: true })
    .where('user_id', '=', user.id)
    .execute()
  t.equal(await demo.engine.samples.staff(), null, 'a disabled demo member is not shown')
  await demo.close()
  const production = await startEngine({}, { NODE_ENV: 'production' })
  t.equal(await production.engine.samples.staff(), null)
  t.same(await production.db.kysely.selectFrom('staff_users').selectAll().execute(), [])
  await production.close()
})
const developmentStaffBody = { email: developmentStaff.email, password: developmentStaff.password }
