import t from 'tap'
import type { StaffOutput } from '../../../../domain/staff/staff-contract.ts'
import { staffCaller } from '../../../server/support/staff.ts'
import { startEngine, refusal } from '../../support/engine.ts'
import { password, startOffice, tokenIn } from '../../support/staff-office.ts'
import { codeAt } from '../../support/totp.ts'

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
await call('setPassword', { body: { token: tokenIn((await smtp.next()).text), password } })
const wrong = {
  status: 400,
  problem: { fields: [{ field: 'code', message: /not right, or was used before/ }] },
}
/** Sets up a second factor for the member with this token. */
async function setUp(token: string, current?: string) {
  const { secret } = await call('startSecondFactor', {}, token)
  const { codes, signedIn } = await call(
    'confirmSecondFactor',
    { body: { code: codeAt(secret, now.at), ...(current && { current }) } },
    token,
  )
  later(0.5)
  return { secret, codes, signedIn }
}

t.test('the codes are those of RFC 6238', t => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  for (const [seconds, code] of [
    [59, '287082'],
    [1111111109, '081804'],
    [1234567890, '005924'],
    [2000000000, '279037'],
  ] as const)
    t.equal(codeAt(secret, new Date(seconds * 1000)), code)
  t.end()
})

t.test(
  'after a second factor is set up, each code and each recovery code signs in only once',
  async t => {
    const { id, token } = await member('ada@twinshelf.test', 'Ada')
    const begun = await call('startSecondFactor', {}, token)
    t.same(
      await call('startSecondFactor', {}, token),
      begun,
      'the same secret until it is confirmed',
    )
    t.match(
      begun.address,
      /^otpauth:\/\/totp\/Twinshelf%20staff:ada(@|%40)twinshelf\.test\?issuer=Twinshelf%20staff&secret=[A-Z2-7]{32}&/,
    )
    t.match(await refusal(call('confirmSecondFactor', { body: { code: '000000' } }, token)), wrong)
    for (const code of ['', '12345', 'x'.repeat(16), '1234567'])
      t.match(
        await refusal(call('confirmSecondFactor', { body: { code } }, token)),
        { status: 400, problem: { fields: [{ field: 'code' }] } },
        code,
      )
    t.equal((await call('staffMe', {}, token)).secondFactor, false)
    const { secret, codes } = await setUp(token)
    t.equal(new Set(codes).size, 10)
    for (const code of codes) t.match(code, /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
    t.equal((await call('staffMe', {}, token)).secondFactor, true)

    const begin = async () => {
      const { token, needs, device } = await signIn('ada@twinshelf.test')
      t.same([needs, device], ['code', null])
      return token
    }
    const first = await begin()
    for (const name of ['staffMe', 'staffUsers', 'adminFeatures', 'startSecondFactor'] as const)
      t.ok(
        [403, 409].includes((await refusal(call(name, { query: {} } as never, first))).status),
        `${name} is refused during an unfinished sign-in`,
      )
    t.same((await call('staffStep', {}, first)).needs, 'code')
    const code = codeAt(secret, now.at)
    const done = await call(
      'staffCode',
      { body: { code: `${code.slice(0, 3)} ${code.slice(3)}` } },
      first,
    )
    t.match(done, {
      needs: null,
      user: { email: 'ada@twinshelf.test' },
      device: /^[\w-]{16}\.[\w-]{43}$/,
    })
    t.equal(
      (await refusal(call('staffStep', {}, first))).status,
      401,
      'the token of the unfinished sign-in has ended',
    )
    t.match(await call('staffMe', {}, done.token), { email: 'ada@twinshelf.test' })
    const second = await begin()
    t.match(
      await refusal(call('staffCode', { body: { code } }, second)),
      wrong,
      'not a second time, although its half minute is not over',
    )
    t.match(
      await refusal(
        call(
          'staffCode',
          { body: { code: codeAt(secret, new Date(now.at.getTime() - 30_000)) } },
          second,
        ),
      ),
      wrong,
      'not an older code',
    )
    t.match(
      await refusal(
        call(
          'staffCode',
          { body: { code: codeAt(secret, new Date(now.at.getTime() + 90_000)) } },
          second,
        ),
      ),
      wrong,
      'not a code from much later',
    )
    later(0.5)
    const both = codeAt(secret, now.at),
      third = await begin()
    const raced = await Promise.allSettled(
      [second, third].map(token => call('staffCode', { body: { code: both } }, token)),
    )
    t.same(
      raced.map(({ status }) => status).sort(),
      ['fulfilled', 'rejected'],
      'of two uses at the same moment one succeeds',
    )

    const byRecovery = await call(
      'staffCode',
      { body: { code: codes[3]!.toUpperCase().replaceAll('-', ' ') } },
      await begin(),
    )
    t.equal(
      (await refusal(call('staffCode', { body: { code: codes[3]! } }, await begin()))).status,
      400,
      'a recovery code works once',
    )
    const made = await call('newRecoveryCodes', { body: { code: codes[4]! } }, byRecovery.token)
    t.equal(
      (await refusal(call('staffCode', { body: { code: codes[5]! } }, await begin()))).status,
      400,
      'the old recovery codes do not work',
    )
    await call('staffCode', { body: { code: made.codes[0]! } }, await begin())

    const acts = (await call('staffActs', { params: { id } }, byRecovery.token)).map(
      ({ act, detail }) => (detail ? `${act}: ${detail}` : act),
    )
    for (const act of [
      'Set up two-step sign-in',
      'Signed in',
      'Signed in: with a recovery code',
      'Made new recovery codes',
    ])
      t.ok(acts.includes(act), act)
    const stored = JSON.stringify(
      await Promise.all(
        (
          [
            'staff_users',
            'staff_sessions',
            'staff_recovery_codes',
            'staff_acts',
            'staff_attempts',
          ] as const
        ).map(table => db.kysely.selectFrom(table).selectAll().execute()),
      ),
    )
    for (const hidden of [
      secret,
      ...codes,
      ...codes.map(code => code.replaceAll('-', '')),
      ...made.codes,
      Buffer.from(secret).toString('hex'),
    ])
      t.notMatch(stored, hidden, 'sealed or hashed')
  },
)

t.test(
  'a second factor can be changed, turned off and reset, but not by a person who only found an open session',
  async t => {
    const own = (await signIn()).token
    const { id, token } = await member('bob@twinshelf.test', 'Bob')
    const before = await setUp(token)
    await call('startSecondFactor', {}, token)
    const begun = await call('startSecondFactor', {}, token)
    t.match(
      await refusal(
        call('confirmSecondFactor', { body: { code: codeAt(begun.secret, now.at) } }, token),
      ),
      { status: 400, problem: { fields: [{ field: 'current', message: 'Enter a code.' }] } },
    )
    t.match(
      await refusal(
        call(
          'confirmSecondFactor',
          { body: { code: codeAt(begun.secret, now.at), current: '111111' } },
          token,
        ),
      ),
      { status: 400, problem: { fields: [{ field: 'current' }] } },
    )
    t.match(
      await refusal(
        call('confirmSecondFactor', { body: { code: '111111', current: before.codes[0]! } }, token),
      ),
      wrong,
    )
    const after = await setUp(token, before.codes[0]!)
    t.not(after.secret, before.secret)
    t.equal(
      (
        await refusal(
          call('newRecoveryCodes', { body: { code: codeAt(before.secret, now.at) } }, token),
        )
      ).status,
      400,
      'codes of the old phone do not work',
    )
    t.equal(
      (await refusal(call('endSecondFactor', { body: { code: '111111' } }, token))).status,
      400,
    )
    t.match(
      await call('endSecondFactor', { body: { code: codeAt(after.secret, now.at) } }, token),
      { secondFactor: false },
    )
    t.equal(
      (await refusal(call('endSecondFactor', { body: { code: '111111' } }, token))).status,
      409,
    )

    await setUp(token)
    t.equal(
      (await refusal(call('resetSecondFactor', { params: { id } }, token))).status,
      409,
      'members cannot reset their own',
    )
    t.match(await call('resetSecondFactor', { params: { id } }, own), { secondFactor: false })
    t.equal(
      (await refusal(call('staffMe', {}, token))).status,
      401,
      'the member’s sessions have ended',
    )
    t.equal((await signIn('bob@twinshelf.test')).needs, null)
    t.equal(
      Number(
        (
          await db.kysely
            .selectFrom('staff_recovery_codes')
            .select(eb => eb.fn.countAll().as('n'))
            .where('user_id', '=', id)
            .executeTakeFirstOrThrow()
        ).n,
      ),
      0,
    )
    const acts = await call('staffActs', { params: { id } }, own)
    t.match(
      acts.find(({ act }) => act === 'Reset two-step sign-in'),
      { by: { name: 'first' }, detail: 'bob@twinshelf.test' },
    )
    t.ok(acts.some(({ act }) => act === 'Turned off two-step sign-in'))
    t.equal(
      (
        await refusal(
          call(
            'resetSecondFactor',
            { params: { id: '00000000-0000-0000-0000-000000000000' } },
            own,
          ),
        )
      ).status,
      404,
    )
  },
)

t.test('a mailed link sets the password and keeps the second factor', async t => {
  const { token } = await member('cleo@twinshelf.test')
  const { secret } = await setUp(token)
  await call('requestPasswordLink', { body: { email: 'cleo@twinshelf.test' } })
  await call('setPassword', {
    body: { token: tokenIn((await smtp.next()).text), password: 'another one entirely' },
  })
  const begun = await signIn('cleo@twinshelf.test', 'another one entirely')
  t.equal(begun.needs, 'code')
  t.match(await call('staffCode', { body: { code: codeAt(secret, now.at) } }, begun.token), {
    needs: null,
  })
  const slow = await signIn('cleo@twinshelf.test', 'another one entirely')
  later(11)
  t.equal(
    (await refusal(call('staffStep', {}, slow.token))).status,
    401,
    'the second step has ten minutes',
  )
})

t.test(
  'in production no call works before a second factor is set up, and it cannot be turned off',
  async t => {
    const production = await startEngine({ db }, { NODE_ENV: 'production', ADMIN_EMAIL: '' })
    t.teardown(production.close)
    production.now.at = now.at
    const there = staffCaller({ engine: production })
    const { token, needs } = await there('staffSignIn', {
      body: { email: 'first@twinshelf.test', password },
    })
    t.equal(needs, 'set-up')
    t.equal((await refusal(there('staffUsers', { query: {} }, token))).status, 403)
    t.equal((await refusal(there('staffCode', { body: { code: '123456' } }, token))).status, 409)
    const { secret } = await there('startSecondFactor', {}, token)
    const { codes, signedIn } = await there(
      'confirmSecondFactor',
      { body: { code: codeAt(secret, now.at) } },
      token,
    )
    t.equal(codes.length, 10)
    t.match(await there('staffMe', {}, signedIn!.token), { secondFactor: true })
    await db.kysely
      .updateTable('staff_users')
      .set({ totp_secret: null })
      .where('user_id', '=', signedIn!.user.id)
      .execute()
    const tokens = await Promise.all(
      [1, 2].map(
        async () =>
          (await there('staffSignIn', { body: { email: 'first@twinshelf.test', password } })).token,
      ),
    )
    const secrets = await Promise.all(
      tokens.map(async token => (await there('startSecondFactor', {}, token)).secret),
    )
    const raced = await Promise.allSettled(
      tokens.map((token, n) =>
        there('confirmSecondFactor', { body: { code: codeAt(secrets[n]!, now.at) } }, token),
      ),
    )
    t.same(
      raced.map(({ status }) => status).sort(),
      ['fulfilled', 'rejected'],
      'of two sign-ins that set up a factor at the same moment one succeeds',
    )
    t.equal((await refusal(there('staffMe', {}, token))).status, 401)
    const last = raced.find(({ status }) => status === 'fulfilled') as PromiseFulfilledResult<
      StaffOutput<'confirmSecondFactor'>
    >
    t.match(
      await refusal(
        there(
          'endSecondFactor',
          { body: { code: last.value.codes[0]! } },
          last.value.signedIn!.token,
        ),
      ),
      { status: 409, message: /cannot be turned off/ },
    )
    await db.kysely
      .updateTable('staff_users')
      .set({ totp_secret: null })
      .where('user_id', '=', signedIn!.user.id)
      .execute()
  },
)

t.test('sessions are listed with their network and browser, and ended one by one', async t => {
  const { id, token } = await member('dora@twinshelf.test')
  const from = async (remoteAddress: string, userAgent: string) => {
    const answer = await engine.app.inject({
      method: 'POST',
      url: '/api/v0/users/sign-in',
      remoteAddress,
      payload: { email: 'dora@twinshelf.test', password, userAgent },
    })
    return answer.json<{ token: string }>().token
  }
  later(1)
  const phone = await from(
    '198.51.100.77',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  )
  later(1)
  await from(
    '2a01:4f8:12:34::1',
    'Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0',
  )
  const listed = await call('staffSessions', { params: { id } }, phone)
  t.match(listed, [
    { browser: 'Firefox 125 on Linux', network: '2a01:4f8:12::/48', isOwn: false },
    { browser: 'Mobile Safari 17 on iOS', network: '198.51.100.0/24', isOwn: true },
    { network: '', isOwn: false },
  ])
  t.notMatch(
    JSON.stringify(listed),
    /staff-|198\.51\.100\.77/,
    'the list has no token and no full address',
  )
  await call('endStaffSession', { params: { id, session: listed[2]!.id } }, phone)
  t.equal((await refusal(call('staffMe', {}, token))).status, 401)
  t.equal(
    (await refusal(call('endStaffSession', { params: { id, session: listed[2]!.id } }, phone)))
      .status,
    404,
  )
  for (const session of ['x', '00000000-0000-0000-0000-000000000000'])
    t.equal(
      (await refusal(call('endStaffSession', { params: { id, session } }, phone))).status,
      404,
    )
  t.same(
    (await call('staffSessions', { params: { id } }, phone)).map(({ isOwn }) => isOwn),
    [false, true],
  )
  t.match((await call('staffActs', { params: { id } }, phone))[0], {
    act: 'Ended a session',
    detail: listed[2]!.browser || null,
  })
  await call('signOutStaffUser', { params: { id } }, (await signIn('dora@twinshelf.test')).token)
  t.equal((await refusal(call('staffMe', {}, phone))).status, 401, 'and all sessions at once')
})

t.test('wrong codes slow down the guesser, not the member’s own browser', async t => {
  const { token } = await member('eve@twinshelf.test')
  const { secret } = await setUp(token)
  const known = (
    await call(
      'staffCode',
      { body: { code: codeAt(secret, now.at) } },
      (await signIn('eve@twinshelf.test')).token,
    )
  ).device!
  const guesser = (await signIn('eve@twinshelf.test')).token
  for (let i = 0; i < 5; i++)
    t.equal((await refusal(call('staffCode', { body: { code: '000000' } }, guesser))).status, 400)
  later(0.6)
  for (let i = 0; i < 2; i++)
    t.equal(
      (await refusal(call('staffCode', { body: { code: '000000' } }, guesser))).status,
      i === 0 ? 400 : 429,
    )
  t.match(
    await refusal(call('staffCode', { body: { code: codeAt(secret, now.at) } }, guesser)),
    { status: 429, problem: { message: /^Too many wrong tries\. Try again in \d+ seconds\.$/ } },
    'even with the right code',
  )
  const own = (
    await call('staffSignIn', { body: { email: 'eve@twinshelf.test', password, device: known } })
  ).token
  t.match(await call('staffCode', { body: { code: codeAt(secret, now.at), device: known } }, own), {
    needs: null,
    device: known,
  })
})
