import t from 'tap'
import { type Call, callPath } from '../../../../domain/api/call.ts'
import { contract } from '../../../../domain/api/contract.ts'
import { staffContract } from '../../../../domain/staff/staff-contract.ts'
import { password, startOffice, tokenIn } from '../../support/staff-office.ts'
import { refusal } from '../../support/engine.ts'

const { engine, smtp, log, call, signIn, member, later, close } = await startOffice()
t.teardown(close)
await call('setPassword', { body: { token: tokenIn((await smtp.next()).text), password } })

t.test('disabling a member ends sessions and links, and enabling restores neither', async t => {
  const own = (await signIn()).token
  const { id, token } = await member('leaver@twinshelf.test', 'Lea Ver')
  await call('requestPasswordLink', { body: { email: 'leaver@twinshelf.test' } })
  const link = tokenIn((await smtp.next()).text)
  t.match(await call('disableStaffUser', { params: { id }, body: { disabled: true } }, own), {
    disabled: true,
  })
  t.equal((await refusal(call('staffMe', {}, token))).status, 401)
  t.equal((await refusal(signIn('leaver@twinshelf.test'))).status, 401)
  t.equal((await refusal(call('passwordLink', { body: { token: link } }))).status, 404)
  t.equal((await refusal(call('sendPasswordLink', { params: { id } }, own))).status, 409)
  await call('disableStaffUser', { params: { id }, body: { disabled: false } }, own)
  t.equal((await refusal(call('staffMe', {}, token))).status, 401)
  t.ok(await signIn('leaver@twinshelf.test'))
  const me = await call('staffMe', {}, own)
  t.match(
    await refusal(
      call('disableStaffUser', { params: { id: me.id }, body: { disabled: true } }, own),
    ),
    { status: 409, message: /Nobody can disable themselves/ },
  )
})

t.test(
  'members are added, found, renamed, sent links and signed out; invalid input is refused at its field',
  async t => {
    const own = (await signIn()).token
    const { user, mailed } = await call(
      'addStaffUser',
      { body: { email: ' Nadia@Twinshelf.test ', name: ' Nadia <b>Petrova</b> ' } },
      own,
    )
    t.match(user, {
      email: 'nadia@twinshelf.test',
      name: 'Nadia <b>Petrova</b>',
      invited: true,
      disabled: false,
      lastSignInAt: null,
    })
    t.ok(mailed)
    const invitation = await smtp.next()
    t.match(invitation, { to: 'nadia@twinshelf.test' })
    t.match(invitation.text, /^first has added you to the staff of Twinshelf/)
    t.match(
      await refusal(
        call('addStaffUser', { body: { email: 'NADIA@twinshelf.test', name: 'Twin' } }, own),
      ),
      {
        status: 409,
        problem: {
          fields: [{ field: 'email', message: 'This email address is already in use.' }],
        },
      },
    )
    for (const [body, field] of [
      [{ email: '', name: 'A' }, 'email'],
      [{ email: 'nobody', name: 'A' }, 'email'],
      [{ email: 'a@b.test\r\nBcc: all@b.test', name: 'A' }, 'email'],
      [{ email: 'a@b.test', name: ' ' }, 'name'],
      [{ email: 'a@b.test', name: 'x'.repeat(101) }, 'name'],
      [{ email: 'a@b.test', name: 'a\0b' }, 'name'],
    ] as const)
      t.match(
        await refusal(call('addStaffUser', { body }, own)),
        { status: 400, problem: { fields: [{ field }] } },
        JSON.stringify(body),
      )
    t.equal((await call('staffUsers', { query: { search: 'b.test' } }, own)).count, 0)
    t.match(await call('staffUsers', { query: { search: 'PETROVA' } }, own), {
      count: 1,
      users: [{ id: user.id }],
    })
    t.equal(
      (await call('staffUsers', { query: { search: '%' } }, own)).count,
      0,
      'a wildcard is a normal character',
    )
    const all = await call('staffUsers', { query: {} }, own)
    const paged = await Promise.all(
      [0, 1, 2, 3].map(page => call('staffUsers', { query: { page, perPage: 2 } }, own)),
    )
    t.same(
      paged.flatMap(({ users }) => users.map(({ id }) => id)),
      all.users.map(({ id }) => id),
    )
    const seen = async (descending: boolean) =>
      (await call('staffUsers', { query: { sort: 'lastSignInAt', descending } }, own)).users.map(
        ({ lastSignInAt }) => lastSignInAt,
      )
    for (const descending of [false, true])
      t.equal((await seen(descending)).at(-1), null, 'members who never signed in come last')
    t.same((await seen(true)).slice(0, -1), (await seen(false)).slice(0, -1).reverse())
    t.match(
      await call(
        'renameStaffUser',
        { params: { id: user.id }, body: { name: 'Nadia Petrova' } },
        own,
      ),
      { name: 'Nadia Petrova' },
    )
    t.match(
      await refusal(call('renameStaffUser', { params: { id: user.id }, body: { name: '' } }, own)),
      { status: 400, problem: { fields: [{ field: 'name' }] } },
    )
    t.match(await call('sendPasswordLink', { params: { id: user.id } }, own), { mailed: true })
    await call('setPassword', { body: { token: tokenIn((await smtp.next()).text), password } })
    await signIn('nadia@twinshelf.test')
    const { token } = await signIn('nadia@twinshelf.test')
    t.same(await call('signOutStaffUser', { params: { id: user.id } }, own), { ended: 2 })
    t.equal((await refusal(call('staffMe', {}, token))).status, 401)
    const acts = await call('staffActs', { params: { id: user.id } }, own)
    t.same(
      acts.map(({ act }) => act),
      [
        'Signed out everywhere',
        'Signed in',
        'Signed in',
        'Set a password',
        'Sent a link to set a password',
        'Renamed',
        'Added a member',
      ],
    )
    t.match(acts.at(-2), { by: { name: 'first' }, detail: 'Nadia <b>Petrova</b> to Nadia Petrova' })
    for (const id of ['x', '00000000-0000-0000-0000-000000000000'])
      for (const name of [
        'staffUser',
        'staffActs',
        'sendPasswordLink',
        'signOutStaffUser',
      ] as const)
        t.equal((await refusal(call(name, { params: { id } }, own))).status, 404, name)
  },
)

t.test(
  "a merchant's token works for no staff call, and a member's token for no merchant call",
  async t => {
    const staff = (await signIn()).token
    const ask = ({ method, path, body }: Call, token: string) =>
      engine.engine.app.inject({
        method,
        url: callPath(
          path,
          'demo',
          new Proxy({}, { get: () => '00000000-0000-0000-0000-000000000000' }),
        ),
        headers: { authorization: `Bearer ${token}` },
        ...(body && { payload: {} }),
      })
    for (const [name, each] of Object.entries<Call>(staffContract))
      if (each.token !== false) t.equal((await ask(each, engine.token)).statusCode, 401, name)
    for (const [name, each] of Object.entries<Call>(contract))
      if (each.token !== false) t.equal((await ask(each, staff)).statusCode, 401, name)
    for (const token of [
      'staff-',
      `staff-${'x'.repeat(43)}`,
      `${staff}x`,
      staff.slice(6),
      staff.toUpperCase(),
      '',
    ])
      t.equal((await ask(staffContract.staffMe, token)).statusCode, 401, token.slice(0, 12))
  },
)

t.test('a mail that cannot be sent is logged and changes no answer', async t => {
  smtp.isOpen(false)
  later(61)
  t.same(await call('requestPasswordLink', { body: { email: 'first@twinshelf.test' } }), {
    ok: true,
  })
  await t.resolveMatch(
    new Promise<string>(resolve => {
      const look = () =>
        log.text.includes('a mail was not sent') ? resolve(log.text) : setImmediate(look)
      look()
    }),
    'a mail was not sent',
  )
  smtp.isOpen(true)
})

t.test('no log line contains a password or a token', async t => {
  t.match(log.text, '/api/v0/users/sign-in')
  t.notMatch(log.text, password)
  t.notMatch(log.text, /staff-[\w-]{43}/)
  t.notMatch(log.text, /token=[\w-]{43}/)
})
