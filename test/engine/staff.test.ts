import t from 'tap'
import { staffCaller } from '../server/staff.ts'
import { startEngine, refusal } from './engine.ts'
import { password, startOffice, tokenIn } from './staff-office.ts'

const { engine: { db, now }, smtp, call, signIn, member, later, close } = await startOffice()
t.teardown(close)

t.test('the first member is invited at the first start, and sets a password by the link, once', async t => {
  const mail = await smtp.next()
  t.match(mail, { to: 'first@twinshelf.test', from: 'no-reply@twinshelf.test' })
  t.match(mail.source, 'Subject: Your invitation to Twinshelf')
  const token = tokenIn(mail.text)
  t.match(token, /^[\w-]{43}$/, '256 bits')
  t.equal((await refusal(signIn())).status, 401, 'no password, no sign-in')
  t.same(await call('passwordLink', { body: { token } }), { email: 'first@twinshelf.test', name: 'first' })
  t.match(await refusal(call('setPassword', { body: { token, password: 'too short' } })), { status: 400, problem: { fields: [{ field: 'password', message: 'Use at least 12 characters.' }] } })
  await call('setPassword', { body: { token, password } })
  t.match(await refusal(call('setPassword', { body: { token, password: 'another one entirely' } })), { status: 404, message: /has been used/ })
  t.equal((await refusal(call('passwordLink', { body: { token } }))).status, 404)
  const { user, token: session } = await signIn(' FIRST@twinshelf.test ')
  t.match(user, { email: 'first@twinshelf.test', disabled: false, invited: false })
  t.match(session, /^staff-[\w-]{43}$/)
  const stored = JSON.stringify([await db.kysely.selectFrom('staff_sessions').selectAll().execute(), await db.kysely.selectFrom('staff_links').selectAll().execute(), await db.kysely.selectFrom('staff_users').selectAll().execute(), await db.kysely.selectFrom('staff_acts').selectAll().execute()])
  for (const secret of [token, session, password]) t.notMatch(stored, secret, 'only hashes are stored')
})

t.test('a wrong password, an unknown address and a disabled account read the same', async t => {
  const { id } = await member('off@twinshelf.test')
  await call('disableStaffUser', { params: { id }, body: { disabled: true } }, (await signIn()).token)
  const answers = await Promise.all([signIn('first@twinshelf.test', 'not this password'), signIn('nobody@twinshelf.test'), signIn('off@twinshelf.test')].map(refusal))
  for (const { status, problem } of answers) t.match({ status, message: problem.message }, { status: 401, message: 'E-mail and password do not match.' })
  t.same(await call('requestPasswordLink', { body: { email: 'nobody@twinshelf.test' } }), await call('requestPasswordLink', { body: { email: 'first@twinshelf.test' } }), 'so does asking for a link')
  t.equal((await smtp.next()).to, 'first@twinshelf.test')
  await call('requestPasswordLink', { body: { email: 'off@twinshelf.test' } })
})

t.test('an unknown address takes as much work as a known one', async t => {
  // What this process has worked, all its threads: others that keep the machine busy are not in it.
  const time = async (email: string) => {
    const start = process.cpuUsage()
    await refusal(signIn(email, 'not this password'))
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  }
  const middle = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!
  const known: number[] = [], unknown: number[] = []
  for (let i = 0; i < 7; i++) { known.push(await time('first@twinshelf.test')); unknown.push(await time(`nobody-${i}@twinshelf.test`)) }
  await db.kysely.deleteFrom('staff_attempts').execute()
  t.ok(middle(unknown) > middle(known) / 2, `known ${middle(known).toFixed(0)} ms, unknown ${middle(unknown).toFixed(0)} ms`)
})

t.test('an account is throttled, known or not, and a restart does not forget', async t => {
  for (const email of ['first@twinshelf.test', 'nobody@twinshelf.test']) {
    for (let i = 0; i < 10; i++) t.equal((await refusal(signIn(email, 'not this password'))).status, 401)
    t.match(await refusal(signIn(email)), { status: 429, message: /tried too often for this account. Try again in 15 minutes/ }, 'even with the right one')
  }
  const restarted = await startEngine({ db }, { ADMIN_EMAIL: '' })
  restarted.now.at = now.at
  t.equal((await refusal(staffCaller({ engine: restarted })('staffSignIn', { body: { email: 'first@twinshelf.test', password } }))).status, 429)
  await restarted.close()
  later(14)
  t.match(await refusal(signIn()), { status: 429, message: /in 1 minute\./ })
  later(2)
  await signIn()
  await refusal(signIn('first@twinshelf.test', 'not this password'))
  await signIn()
  t.same(await db.kysely.selectFrom('staff_attempts').selectAll().execute(), [], 'signing in begins anew')
  await db.kysely.deleteFrom('staff_attempts').execute()
})

t.test('links: half an hour, five an hour, all used up by one', async t => {
  const ask = () => call('requestPasswordLink', { body: { email: 'first@twinshelf.test' } })
  const links: string[] = []
  for (let i = 0; i < 5; i++) { await ask(); links.push(tokenIn((await smtp.next()).text)) }
  t.equal((await refusal(ask())).status, 429)
  for (let i = 0; i < 5; i++) await call('requestPasswordLink', { body: { email: 'nobody2@twinshelf.test' } })
  t.equal((await refusal(call('requestPasswordLink', { body: { email: 'nobody2@twinshelf.test' } }))).status, 429, 'for an unknown address too')
  const before = (await signIn()).token
  await call('setPassword', { body: { token: links[1]!, password } })
  t.equal((await refusal(call('passwordLink', { body: { token: links[0]! } }))).status, 404, 'the others no longer work')
  t.equal((await refusal(call('staffMe', {}, before))).status, 401, 'a new password ends sessions')
  later(61)
  await ask()
  const late = tokenIn((await smtp.next()).text)
  later(31)
  t.equal((await refusal(call('setPassword', { body: { token: late, password } }))).status, 404)
  for (const token of ['', 'x', 'staff-x', `${late}x`, 'x'.repeat(64)]) t.equal((await refusal(call('passwordLink', { body: { token } }))).status, 404, token)
})

t.test('of two who come with one link at a moment, one has it', async t => {
  await call('requestPasswordLink', { body: { email: 'first@twinshelf.test' } })
  const token = tokenIn((await smtp.next()).text)
  const done = await Promise.allSettled([call('setPassword', { body: { token, password } }), call('setPassword', { body: { token, password } })])
  t.same(done.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

t.test('sessions: a new token each time, an hour of silence, twelve hours in all, ended by signing out', async t => {
  const first = (await signIn()).token, second = (await signIn()).token
  t.not(first, second)
  await call('staffSignOut', {}, first)
  t.equal((await refusal(call('staffMe', {}, first))).status, 401)
  t.match(await call('staffMe', {}, second), { email: 'first@twinshelf.test' })
  t.notMatch(await call('staffMe', {}, second), { session: String }, 'its name stays inside')
  later(61)
  t.equal((await refusal(call('staffMe', {}, second))).status, 401, 'idle')
  const third = (await signIn()).token
  for (let i = 0; i < 14; i++) { later(50); await call('staffMe', {}, third) }
  later(21)
  t.equal((await refusal(call('staffMe', {}, third))).status, 401, 'after twelve hours, however busy')
})
