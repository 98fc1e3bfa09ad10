import t from 'tap'
import { newLinkToken } from '../../../engine/staff/people/staff-links.ts'
import { codeAt } from '../../engine/support/totp.ts'
import { startMerchant, textOf } from '../support/merchant.ts'
import { browserOf } from '../support/staff.ts'

// Production settings: there a second factor is required.
const merchant = await startMerchant({
  engine: {
    NODE_ENV: 'production',
    ADMIN_EMAIL: 'ada@twinshelf.test',
    STAFF_SIGN_INS_PER_ADDRESS: '100000',
  },
})
t.teardown(merchant.close)
const {
  engine: { db, now },
} = merchant
const email = 'ada@twinshelf.test',
  password = 'a kettle, a shelf, a lamp'
const later = (minutes: number) => {
  now.at = new Date(now.at.getTime() + minutes * 60_000)
}
const keyIn = (body: string) =>
  /<code class="secret-key">([A-Z2-7 ]+)</.exec(body)![1]!.replaceAll(' ', '')
const codesIn = (body: string) =>
  [...body.matchAll(/<code>([a-z2-7-]{19})<\/code>/g)].map(([, code]) => code!)
const { user_id: id } = await db.kysely
  .selectFrom('staff_users')
  .select('user_id')
  .where('email', '=', email)
  .executeTakeFirstOrThrow()
const browser = browserOf(merchant)
let secret = '',
  codes: string[] = []

t.test(
  'a link sets the password and marks the browser as known; the sign-in continues with the setup',
  async t => {
    const set = await browser.post('/reset', {
      token: await newLinkToken(db.kysely, id, now.at),
      password,
    })
    t.equal(set.statusCode, 303)
    t.match(
      [set.headers['set-cookie']].flat().find(line => line!.startsWith('twinshelf_staff_device=')),
      /^twinshelf_staff_device=[\w-]{16}\.[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    const entry = await browser.post('/login?from=/admin/users', { email, password })
    t.match([entry.statusCode, entry.headers.location], [303, '/login?from=%2Fadmin%2Fusers'])
    const page = await browser.get('/login?from=%2Fadmin%2Fusers')
    t.match(page.headers, {
      'content-security-policy': /frame-ancestors 'none'/,
      'cache-control': /no-store/,
    })
    t.match(page.body, /<svg class="qr"[^>]* role="img" aria-label="QR code that adds Twinshelf/)
    t.notMatch(page.body, /style="/)
    t.match(page.body, /<title>Sign in/)
    secret = keyIn(page.body)
    t.equal(keyIn((await browser.get('/login')).body), secret, 'a reload shows the same secret')
    for (const path of ['/admin', '/admin/users', `/admin/users/${id}`])
      t.equal(
        (await browser.get(path)).headers.location,
        `/login?from=${encodeURIComponent(path)}`,
        `${path} is closed until the setup is done`,
      )
    const refused = await browser.post('/login/set-up?from=%2Fadmin%2Fusers', { code: '000000' })
    t.equal(refused.statusCode, 422)
    t.match(textOf(refused.body), /This code is not right/)
    t.match(refused.body, /name="code"[^>]*aria-invalid="true"/)
    const done = await browser.post('/login/set-up?from=%2Fadmin%2Fusers', {
      code: codeAt(secret, now.at),
    })
    t.equal(done.statusCode, 200)
    codes = codesIn(done.body)
    t.equal(codes.length, 10)
    t.match(done.body, 'href="/admin/users"')
    t.equal((await browser.get('/admin/users')).statusCode, 200)
    t.equal(
      (await browser.post('/login/set-up', { code: codeAt(secret, now.at) })).headers.location,
      '/login?from=%2Fadmin',
      'the setup cannot be done again',
    )
  },
)

t.test('a sign-in needs a code, and wrong codes have messages', async t => {
  await browser.post('/logout')
  const begin = () => browser.post('/login?from=/admin/users', { email, password })
  await begin()
  const page = await browser.get('/login?from=%2Fadmin%2Fusers')
  t.match(page.body, /name="code"[^>]*autocomplete="one-time-code"/)
  for (const [code, words] of [
    ['', /Enter a code\./],
    ['12', /A code has 6 digits/],
    ['000000', /not right, or was used before/],
    [codeAt(secret, now.at), /was used before/],
  ] as const) {
    const refused = await browser.post('/login/code?from=%2Fadmin%2Fusers', { code })
    t.equal(refused.statusCode, 422, code)
    t.match(textOf(refused.body), words)
  }
  later(0.5)
  const done = await browser.post('/login/code?from=%2Fadmin%2Fusers', {
    code: codeAt(secret, now.at),
  })
  t.match([done.statusCode, done.headers.location], [303, '/admin/users'])
  t.equal((await browser.get('/login?from=//evil.test')).headers.location, '/admin')
  await browser.post('/logout')
  await begin()
  t.equal(
    (await browser.post('/login/code?from=//evil.test', { code: codes[0]! })).headers.location,
    '/admin',
    'a recovery code works too',
  )
  await browser.post('/logout')
  await begin()
  await browser.post('/logout')
  t.match(
    textOf((await browser.get('/login')).body),
    /Sign in .*Password/,
    'another member may sign in instead',
  )
  await begin()
  later(11)
  t.equal(
    (await browser.post('/login/code', { code: codes[1]! })).headers.location,
    '/login?from=%2Fadmin',
  )
  t.match(textOf((await browser.get('/login')).body), 'This sign-in is over. Sign in again.')
  const stranger = browserOf(merchant)
  await stranger.post('/login', { email, password })
  for (let i = 0; i < 5; i++)
    t.equal((await stranger.post('/login/code', { code: '000000' })).statusCode, 422)
  const slowed = await stranger.post('/login/code', { code: codes[1]! })
  t.equal(slowed.statusCode, 429)
  t.match(textOf(slowed.body), 'Too many wrong tries. Try again in 10 seconds.')
  await begin()
  t.equal(
    (await browser.post('/login/code', { code: codes[1]! })).statusCode,
    303,
    'the member’s known browser does not have to wait',
  )
})

t.test('members change their second factor; others reset it; sessions end one by one', async t => {
  const page = `/admin/users/${id}`
  t.notMatch(
    textOf((await browser.get(page)).body),
    'Turn off',
    'it cannot be turned off in production',
  )
  const form = await browser.get(`${page}?two-step=set-up`)
  const other = keyIn(form.body)
  later(0.5)
  t.match(
    textOf(
      (await browser.post(`${page}/two-step`, { code: codeAt(other, now.at), current: '' })).body,
    ),
    /Current code .*Enter a code\./,
  )
  const changed = await browser.post(`${page}/two-step`, {
    code: codeAt(other, now.at),
    current: codeAt(secret, now.at),
  })
  t.equal(codesIn(changed.body).length, 10)
  later(0.5)
  t.equal((await browser.post(`${page}/two-step-codes`, { code: '000000' })).statusCode, 422)
  const fresh = codesIn(
    (await browser.post(`${page}/two-step-codes`, { code: codeAt(other, now.at) })).body,
  )
  t.equal(fresh.length, 10)
  t.equal((await browser.post(`${page}/two-step-off`, { code: fresh[0]! })).statusCode, 409)

  const phone = browserOf(merchant)
  await phone.post(
    '/login',
    { email, password },
    {
      headers: {
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0',
      },
    },
  )
  await phone.post('/login/code', { code: fresh[1]! })
  const listed = await browser.get(page)
  t.match(textOf(listed.body), /Sessions .*Firefox 125 on Linux .*\(this one\)/)
  const session = /name="session" value="([^"]+)"/.exec(listed.body)![1]!
  await browser.post(`${page}/end-session`, { session })
  t.match(textOf((await browser.get(page)).body), 'The session was ended.')
  t.equal((await phone.get('/admin')).headers.location, '/login?from=%2Fadmin')
  for (const gone of [session, '', 'x'.repeat(500)]) {
    const answer = await browser.post(`${page}/end-session`, { session: gone })
    t.equal(answer.statusCode, 303, gone.slice(0, 9))
  }

  await browser.post('/admin/add-user', { name: 'Bob', email: 'bob@twinshelf.test' })
  const bob = (
    await db.kysely
      .selectFrom('staff_users')
      .select('user_id')
      .where('email', '=', 'bob@twinshelf.test')
      .executeTakeFirstOrThrow()
  ).user_id
  t.equal(
    (await browser.post(`/admin/users/${bob}/two-step`, { code: '000000' })).statusCode,
    403,
    'members cannot set it up for others',
  )
  t.notMatch((await browser.get(`/admin/users/${bob}?two-step=set-up`)).body, 'secret-key')
  const bobs = browserOf(merchant)
  await bobs.post('/reset', { token: await newLinkToken(db.kysely, bob, now.at), password })
  await bobs.post('/login', { email: 'bob@twinshelf.test', password })
  await bobs.post('/login/set-up', { code: codeAt(keyIn((await bobs.get('/login')).body), now.at) })
  t.equal((await bobs.get('/admin')).statusCode, 200)
  t.match((await browser.get(`/admin/users/${bob}`)).body, 'Reset two-step sign-in of Bob?')
  await browser.post(`/admin/users/${bob}/two-step-reset`)
  const shown = textOf((await browser.get(`/admin/users/${bob}`)).body)
  for (const words of [
    'Two-step sign-in of Bob was reset.',
    'Reset two-step sign-in : bob@twinshelf.test',
  ])
    t.match(shown, words)
  t.equal((await bobs.get('/admin')).headers.location, '/login?from=%2Fadmin')
  t.equal((await browser.post(`${page}/two-step-reset`)).statusCode, 409)
})

t.test('requests from other sites change nothing', async t => {
  for (const path of [
    '/login/code',
    '/login/set-up',
    ...['two-step', 'two-step-codes', 'two-step-off', 'two-step-reset', 'end-session'].map(
      act => `/admin/users/${id}/${act}`,
    ),
  ])
    t.equal(
      (await browser.post(path, { code: '1' }, { headers: { origin: 'https://evil.test' } }))
        .statusCode,
      403,
      path,
    )
})
