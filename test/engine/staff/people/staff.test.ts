import t from 'tap'
import { staffCaller } from '../../../server/support/staff.ts'
import { startEngine, refusal } from '../../support/engine.ts'
import { password, startOffice, tokenIn } from '../../support/staff-office.ts'

const {
  engine: { engine, db, now },
  smtp,
  call,
  signIn,
  member,
  later,
  close,
} = await startOffice()
t.teardown(close)

t.test(
  'the first start invites the first member, who sets a password with the link once',
  async t => {
    const mail = await smtp.next()
    t.match(mail, { to: 'first@twinshelf.test', from: 'no-reply@twinshelf.test' })
    t.match(mail.source, 'Subject: Your invitation to Twinshelf')
    const token = tokenIn(mail.text)
    t.match(token, /^[\w-]{43}$/, '256 bits')
    t.equal((await refusal(signIn())).status, 401, 'no sign-in without a password')
    t.same(await call('passwordLink', { body: { token } }), {
      email: 'first@twinshelf.test',
      name: 'first',
    })
    t.match(await refusal(call('setPassword', { body: { token, password: 'too short' } })), {
      status: 400,
      problem: { fields: [{ field: 'password', message: 'Use at least 12 characters.' }] },
    })
    await call('setPassword', { body: { token, password } })
    t.match(
      await refusal(call('setPassword', { body: { token, password: 'another one entirely' } })),
      { status: 404, message: /has been used/ },
    )
    t.equal((await refusal(call('passwordLink', { body: { token } }))).status, 404)
    const { user, token: session } = await signIn(' FIRST@twinshelf.test ')
    t.match(user, { email: 'first@twinshelf.test', disabled: false, invited: false })
    t.match(session, /^staff-[\w-]{43}$/)
    const stored = JSON.stringify([
      await db.kysely.selectFrom('staff_sessions').selectAll().execute(),
      await db.kysely.selectFrom('staff_links').selectAll().execute(),
      await db.kysely.selectFrom('staff_users').selectAll().execute(),
      await db.kysely.selectFrom('staff_acts').selectAll().execute(),
    ])
    for (const secret of [token, session, password])
      t.notMatch(stored, secret, 'only hashes are stored')
  },
)

t.test('a wrong password, an unknown address and a disabled account look the same', async t => {
  const { id } = await member('off@twinshelf.test')
  await call(
    'disableStaffUser',
    { params: { id }, body: { disabled: true } },
    (await signIn()).token,
  )
  const answers = await Promise.all(
    [
      signIn('first@twinshelf.test', 'not this password'),
      signIn('nobody@twinshelf.test'),
      signIn('off@twinshelf.test'),
    ].map(refusal),
  )
  for (const { status, problem } of answers)
    t.match(
      { status, message: problem.message },
      { status: 401, message: 'E-mail and password do not match.' },
    )
  t.same(
    await call('requestPasswordLink', { body: { email: 'nobody@twinshelf.test' } }),
    await call('requestPasswordLink', { body: { email: 'first@twinshelf.test' } }),
    'the same answer to a request for a link',
  )
  t.equal((await smtp.next()).to, 'first@twinshelf.test')
  await call('requestPasswordLink', { body: { email: 'off@twinshelf.test' } })
})

t.test('an unknown address takes as much work as a known one', async t => {
  // CPU time of this process with all its threads, so that other work on the machine does not
  // count.
  const time = async (email: string) => {
    const start = process.cpuUsage()
    await refusal(signIn(email, 'not this password'))
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  }
  const middle = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!
  const known: number[] = [],
    unknown: number[] = []
  for (let i = 0; i < 7; i++) {
    known.push(await time('first@twinshelf.test'))
    unknown.push(await time(`nobody-${i}@twinshelf.test`))
  }
  await db.kysely.deleteFrom('staff_attempts').execute()
  t.ok(
    middle(unknown) > middle(known) / 2,
    `known ${middle(known).toFixed(0)} ms, unknown ${middle(unknown).toFixed(0)} ms`,
  )
})

t.test(
  'wrong passwords slow down the guesser, for existing and unknown accounts, also after a restart',
  async t => {
    const device = (await signIn()).device!
    for (const email of ['first@twinshelf.test', 'nobody@twinshelf.test']) {
      for (let i = 0; i < 5; i++)
        t.equal((await refusal(signIn(email, 'not this password'))).status, 401)
      t.match(
        await refusal(signIn(email)),
        { status: 429, message: 'Too many wrong tries. Try again in 10 seconds.' },
        'even with the right password',
      )
      later(0.17)
      t.equal((await refusal(signIn(email, 'not this password'))).status, 401)
      t.match(
        await refusal(signIn(email)),
        { status: 429, message: 'Too many wrong tries. Try again in 20 seconds.' },
        'the wait doubles each time',
      )
    }
    const restarted = await startEngine({ db }, { ADMIN_EMAIL: '' })
    restarted.now.at = now.at
    t.equal(
      (
        await refusal(
          staffCaller({ engine: restarted })('staffSignIn', {
            body: { email: 'first@twinshelf.test', password },
          }),
        )
      ).status,
      429,
    )
    await restarted.close()
    const atOnce = await Promise.all(
      Array.from({ length: 12 }, () => refusal(signIn('many@twinshelf.test', 'not this password'))),
    )
    t.equal(
      atOnce.filter(({ status }) => status === 401).length,
      5,
      'tries at the same moment are limited too',
    )

    const known = (own: string, by = device) =>
      call('staffSignIn', { body: { email: 'first@twinshelf.test', password: own, device: by } })
    t.equal(
      (await known(password)).device,
      device,
      'a device that has signed in before does not wait',
    )
    for (const forged of [`${device}x`, `x${device}`, device.replace('.', ''), 'x'.repeat(60)])
      t.equal((await refusal(known(password, forged))).status, 429, 'a forged device waits')
    const { token: other } = await member('second@twinshelf.test').catch(() => ({ token: '' }))
    t.equal(other, '', 'on other devices the account still waits')
    for (let i = 0; i < 10; i++) t.equal((await refusal(known('not this password'))).status, 401)
    t.equal(
      (await refusal(known(password))).status,
      429,
      'the device waits after its own wrong tries',
    )
    await call('requestPasswordLink', { body: { email: 'first@twinshelf.test' } })
    const { device: fresh } = await call('setPassword', {
      body: { token: tokenIn((await smtp.next()).text), password },
    })
    for (let i = 0; i < 6; i++) await refusal(signIn('first@twinshelf.test', 'not this password'))
    t.equal((await refusal(signIn())).status, 429)
    t.ok(await known(password, fresh), 'a device that used a mailed link does not wait')
    later(16)
    t.ok(await signIn(), 'the longest wait is a quarter of an hour')
    later(24 * 60 + 1)
    await signIn()
    t.same(
      await db.kysely
        .selectFrom('staff_attempts')
        .selectAll()
        .where('key', 'like', 'guess %')
        .execute(),
      [],
      'after a day the tries are forgotten',
    )
    await db.kysely.deleteFrom('staff_attempts').execute()
  },
)

t.test('a network that guesses at many accounts waits, and others do not', async t => {
  const from = async (remoteAddress: string, email: string, own: string, device?: string) =>
    (
      await engine.app.inject({
        method: 'POST',
        url: '/api/v0/users/sign-in',
        remoteAddress,
        payload: { email, password: own, ...(device && { device }) },
      })
    ).statusCode
  const { device } = await signIn()
  for (let i = 0; i < 20; i++)
    t.equal(await from(`198.51.100.${i}`, `guess-${i}@twinshelf.test`, 'not this password'), 401)
  t.equal(await from('198.51.100.200', 'first@twinshelf.test', password), 429)
  t.equal(await from('198.51.101.1', 'first@twinshelf.test', password), 200)
  t.equal(
    await from('198.51.100.200', 'first@twinshelf.test', password, device!),
    200,
    'a known device signs in from there too',
  )
  await db.kysely.deleteFrom('staff_attempts').execute()
})

t.test('links work for half an hour, at most five then, and using one ends all', async t => {
  const ask = () => call('requestPasswordLink', { body: { email: 'first@twinshelf.test' } })
  const links: string[] = []
  for (let i = 0; i < 5; i++) {
    await ask()
    links.push(tokenIn((await smtp.next()).text))
  }
  t.match(await refusal(ask()), { status: 429, message: / Try again in 30 minutes\.$/ })
  for (let i = 0; i < 5; i++)
    await call('requestPasswordLink', { body: { email: 'nobody2@twinshelf.test' } })
  t.equal(
    (await refusal(call('requestPasswordLink', { body: { email: 'nobody2@twinshelf.test' } })))
      .status,
    429,
    'for an unknown address too',
  )
  const before = (await signIn()).token
  await call('setPassword', { body: { token: links[1]!, password } })
  t.equal(
    (await refusal(call('passwordLink', { body: { token: links[0]! } }))).status,
    404,
    'the others no longer work',
  )
  t.equal(
    (await refusal(call('staffMe', {}, before))).status,
    401,
    'a new password ends the sessions',
  )
  later(61)
  await ask()
  const late = tokenIn((await smtp.next()).text)
  later(31)
  t.equal((await refusal(call('setPassword', { body: { token: late, password } }))).status, 404)
  for (const token of ['', 'x', 'staff-x', `${late}x`, 'x'.repeat(64)])
    t.equal((await refusal(call('passwordLink', { body: { token } }))).status, 404, token)
})

t.test('of two uses of a link at the same moment, one succeeds', async t => {
  await call('requestPasswordLink', { body: { email: 'first@twinshelf.test' } })
  const token = tokenIn((await smtp.next()).text)
  const done = await Promise.allSettled([
    call('setPassword', { body: { token, password } }),
    call('setPassword', { body: { token, password } }),
  ])
  t.same(done.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

t.test(
  'a session has its own token, ends after an idle hour, after twelve hours or at sign-out',
  async t => {
    const first = (await signIn()).token,
      second = (await signIn()).token
    t.not(first, second)
    await call('staffSignOut', {}, first)
    t.equal((await refusal(call('staffMe', {}, first))).status, 401)
    t.match(await call('staffMe', {}, second), { email: 'first@twinshelf.test' })
    t.notMatch(
      await call('staffMe', {}, second),
      { session: String },
      'the id of the session is not sent',
    )
    later(61)
    t.equal((await refusal(call('staffMe', {}, second))).status, 401, 'idle')
    const third = (await signIn()).token
    for (let i = 0; i < 14; i++) {
      later(50)
      await call('staffMe', {}, third)
    }
    later(21)
    t.equal(
      (await refusal(call('staffMe', {}, third))).status,
      401,
      'after twelve hours, although it was in use',
    )
  },
)
