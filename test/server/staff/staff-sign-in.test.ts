import t from 'tap'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { routes } from '../../../domain/routes.ts'
import { developmentStaff } from '../../../engine/platform/demo/demo-staff.ts'
import { newLinkToken } from '../../../engine/staff/people/staff-links.ts'
import { buildApp } from '../../../server/app.ts'
import { appConfig } from '../../../server/config.ts'
import { browserOf, signInStaff } from '../support/staff.ts'
import { startMerchant, textOf } from '../support/merchant.ts'

const merchant = await startMerchant({ engine: { STAFF_SIGN_INS_PER_ADDRESS: '100000' } })
const { engine, app } = merchant
t.teardown(merchant.close)
await engine.engine.samples.staff()
const { email, password } = developmentStaff
const later = (minutes: number) => {
  engine.now.at = new Date(engine.now.at.getTime() + minutes * 60_000)
}
/** A link for the member, as in a mail. */
const linkFor = async (id: string): Promise<string> =>
  `/reset?token=${await newLinkToken(engine.db.kysely, id, engine.now.at)}`
const field = (html: string, name: string) =>
  new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(html)?.[0] ?? ''

t.test('a guest signs in and arrives at the requested page', async t => {
  const browser = browserOf(merchant)
  const sent = await browser.get('/admin/users?search=a%26b')
  t.match(
    [sent.statusCode, sent.headers.location],
    [302, '/login?from=%2Fadmin%2Fusers%3Fsearch%3Da%2526b'],
  )
  const page = await browser.get(String(sent.headers.location))
  t.equal(page.statusCode, 200)
  t.match(page.headers['content-security-policy'], "frame-ancestors 'none'")
  t.match(page.headers['cache-control'], 'no-store')
  const action = /<form method="post" action="([^"]+)"/.exec(page.body)![1]!
  const entry = await browser.post(action.replaceAll('&amp;', '&'), {
    email: email.toUpperCase(),
    password,
  })
  t.match([entry.statusCode, entry.headers.location], [303, '/admin/users?search=a%26b'])
  const [line] = [entry.headers['set-cookie']].flat()
  t.match(
    line,
    /^twinshelf_staff=staff-[\w-]{43}; .*Path=\/; Expires=.+; HttpOnly; SameSite=Strict$/,
  )
  t.equal((await browser.get('/admin/users')).statusCode, 200)
  t.match(
    [
      (await browser.get('/login')).headers.location,
      (await browser.get('/login?from=/admin/users')).headers.location,
    ],
    ['/admin', '/admin/users'],
    'a signed-in member is sent on',
  )
})

t.test('over https the cookie is bound to the host', async t => {
  const upstreamOrigin = String(engine.engine.app.listeningOrigin)
  const hosted = await buildApp({
    config: appConfig({
      APP_ORIGIN: 'https://app.twinshelf.example',
    }),
    upstreamOrigin,
    clock: () => engine.now.at,
  })
  t.teardown(hosted.close)
  const entry = await hosted.app.inject({
    method: 'POST',
    url: '/login',
    payload: new URLSearchParams({ email, password }).toString(),
    headers: {
      origin: 'https://app.twinshelf.example',
      'content-type': 'application/x-www-form-urlencoded',
    },
  })
  t.match(
    [entry.headers['set-cookie']].flat()[0],
    /^__Host-twinshelf_staff=staff-[\w-]{43}; Path=\/; Expires=.+; HttpOnly; Secure; SameSite=Strict$/,
  )
})

t.test('a return address on another site is ignored', async t => {
  for (const from of [
    '//evil.test',
    '/\\evil.test',
    'https://evil.test',
    'javascript:alert(1)',
    '/\t/evil.test',
    '/%2F/evil.test/..//..//evil.test',
    '/.//evil.test',
    'x'.repeat(5000),
  ]) {
    const entry = await browserOf(merchant).post(`/login?from=${encodeURIComponent(from)}`, {
      email,
      password,
    })
    t.notMatch(String(entry.headers.location), /^(\/\/|\/\\|\w+:)/, from.slice(0, 30))
    t.equal(
      new URL(String(entry.headers.location), 'http://own.test').host,
      'own.test',
      from.slice(0, 30),
    )
  }
})

t.test(
  'a missing or wrong field has a message; the form keeps the email but not the password',
  async t => {
    const browser = browserOf(merchant)
    const empty = await browser.post('/login')
    t.equal(empty.statusCode, 422)
    t.match(textOf(empty.body), /Enter an e-mail address\..*Enter your password\./)
    t.match(field(empty.body, 'email'), /aria-invalid="true"/)
    t.match(field(empty.body, 'email'), /autofocus/)
    const wrong = await browser.post('/login', { email: 'who@"<b>.test', password })
    t.match(textOf(wrong.body), 'This is not an e-mail address.')
    t.match(field(wrong.body, 'email'), 'value="who@&quot;')
    for (const [name, fields] of [
      ['wrong', { email, password: 'not this one at all' }],
      ['unknown', { email: 'nobody@twinshelf.test', password }],
      ['too long', { email, password: 'x'.repeat(2000) }],
    ] as const) {
      const refused = await browser.post('/login', fields)
      t.equal(refused.statusCode, 422, name)
      t.match(textOf(refused.body), 'E-mail and password do not match.', name)
      t.match(field(refused.body, 'email'), `value="${fields.email}"`)
      t.notMatch(refused.body, fields.password)
      t.match(field(refused.body, 'password'), /autofocus/)
      t.same(refused.cookies, [])
    }
  },
)

t.test('after too many attempts a page says how long to wait', async t => {
  const browser = browserOf(merchant)
  for (let i = 0; i < 5; i++)
    await browser.post('/login', { email: 'often@twinshelf.test', password: 'not this one at all' })
  const refused = await browser.post('/login', { email: 'often@twinshelf.test', password })
  t.equal(refused.statusCode, 429)
  t.match(textOf(refused.body), 'Too many wrong tries. Try again in 10 seconds.')
})

t.test('each sign-in makes a new session and ends the old one of this browser', async t => {
  const browser = browserOf(merchant)
  await browser.post('/login', { email, password })
  const first = browser.jar.get('twinshelf_staff')!
  await browser.post('/login', { email, password })
  const second = browser.jar.get('twinshelf_staff')!
  t.not(first, second)
  browser.jar.set('twinshelf_staff', first)
  t.equal((await browser.get('/admin')).statusCode, 302)
  t.notOk(browser.jar.has('twinshelf_staff'), 'an invalid cookie is removed')
  browser.jar.set('twinshelf_staff', second)
  t.equal((await browser.get('/admin')).statusCode, 200)
  const out = await browser.post('/logout')
  t.match([out.statusCode, out.headers.location], [303, '/login'])
  t.notOk(browser.jar.has('twinshelf_staff'))
  t.match(textOf((await browser.get('/login')).body), 'Signed out.')
  browser.jar.set('twinshelf_staff', second)
  t.equal((await browser.get('/admin')).statusCode, 302, 'the old token opens nothing')
  t.equal(
    (await browserOf(merchant).post('/logout')).statusCode,
    303,
    'logging out twice is no error',
  )
})

t.test('a forgotten password shows the same page for every address', async t => {
  const browser = browserOf(merchant)
  t.match(textOf((await browser.get('/reset')).body), 'We mail a link to set a password to it')
  const pages = await Promise.all(
    [email, 'nobody@twinshelf.test'].map(async each => {
      const asked = await browser.post('/reset', { email: each })
      t.match([asked.statusCode, asked.headers.location], [303, '/reset?sent'])
      return textOf((await browser.get('/reset?sent')).body)
    }),
  )
  t.equal(pages[0], pages[1])
  t.match(pages[0], 'If this address belongs to a member of staff, we have sent a link to it.')
  for (const [fields, message] of [
    [{ email: '' }, 'Enter an e-mail address.'],
    [{ email: 'nobody' }, 'This is not an e-mail address.'],
  ] as const) {
    const refused = await browser.post('/reset', fields)
    t.equal(refused.statusCode, 422)
    t.match(textOf(refused.body), message)
  }
  for (let i = 0; i < 5; i++) await browser.post('/reset', { email: 'often@twinshelf.test' })
  const often = await browser.post('/reset', { email: 'often@twinshelf.test' })
  t.equal(often.statusCode, 429)
  t.match(textOf(often.body), 'tried too often for this account')
})

t.test('a link sets a password once and ends all sessions; a bad password keeps it', async t => {
  const staff = await signInStaff(merchant)
  const { user } = await staff.call('addStaffUser', {
    body: { email: 'ines@twinshelf.test', name: 'Inês <i>Rocha</i>' },
  })
  const link = await linkFor(user.id),
    token = link.slice('/reset?token='.length)
  const browser = browserOf(merchant)
  const page = await browser.get(link)
  t.equal(page.statusCode, 200)
  t.match(page.headers['content-security-policy'], "frame-ancestors 'none'")
  t.match(page.headers['referrer-policy'], 'same-origin')
  t.match(page.body, 'Inês &lt;i>Rocha&lt;/i>')
  t.equal(
    [...page.body.matchAll(new RegExp(token, 'g'))].length,
    1,
    'the token is only in the form',
  )
  for (const [bad, message] of [
    ['short', 'Use at least 12 characters.'],
    ['', 'Use at least 12 characters.'],
    ['password1234', 'easy to guess'],
    ['ines@twinshelf.test', 'easy to guess'],
    ['x'.repeat(1025), 'Use at most 1024 characters.'],
  ] as const) {
    const refused = await browser.post('/reset', { token, password: bad })
    t.equal(refused.statusCode, 422, bad.slice(0, 20))
    t.match(textOf(refused.body), message)
    t.match(field(refused.body, 'password'), /aria-invalid="true"/)
    t.notMatch(field(refused.body, 'password'), 'value=')
  }
  const own = 'a drawer full of pencils'
  const done = await browser.post('/reset', { token, password: own })
  t.match([done.statusCode, done.headers.location], [303, '/login'])
  t.match(textOf((await browser.get('/login')).body), 'Your password is set. Sign in with it.')
  const ines = await signInStaff(merchant, { email: 'ines@twinshelf.test', password: own })
  t.equal((await ines.get('/admin')).statusCode, 200)
  for (const dead of [
    link,
    '/reset?token=',
    '/reset?token=x',
    `/reset?token=${'x'.repeat(3000)}`,
  ]) {
    const again = await browser.get(dead)
    t.equal(again.statusCode, 404, dead.slice(0, 30))
    t.match(textOf(again.body), 'This link no longer works')
  }
  t.equal((await browser.post('/reset', { token, password: own })).statusCode, 404)
  const next = await linkFor(user.id)
  later(31)
  t.equal((await browser.get(next)).statusCode, 404, 'the link has expired after half an hour')
  const last = await linkFor(user.id)
  await browser.post('/reset', { token: last.slice('/reset?token='.length), password: own })
  t.match(
    (await ines.get('/admin')).headers.location,
    '/login?from=%2Fadmin',
    'the former session has ended',
  )
})

t.test('requests from other sites change nothing', async t => {
  const staff = await signInStaff(merchant)
  for (const headers of [
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])
    for (const path of [
      '/login',
      '/logout',
      '/reset',
      '/admin/add-user',
      `/admin/users/${staff.userId}`,
      `/admin/users/${staff.userId}/sign-out`,
    ])
      t.equal(
        (await staff.post(path, { email, password, name: 'X' }, { headers })).statusCode,
        403,
        `${path} ${JSON.stringify(headers)}`,
      )
  t.equal((await staff.get('/admin')).statusCode, 200)
  const json = await staff.post(
    '/login',
    {},
    { payload: '{}', headers: { 'content-type': 'application/json' } },
  )
  t.equal(json.statusCode, 415)
  for (const act of ['disable', 'enable', 'link', 'sign-out'])
    t.equal(
      (await staff.get(`/admin/users/${staff.userId}/${act}`)).statusCode,
      404,
      `a GET request to ${act} is 404`,
    )
})

t.test(
  "guests and merchants open no page below /admin, existing or not; staff open no merchant's page",
  async t => {
    const staff = await signInStaff(merchant)
    const admin = routes
      .filter(({ guard }) => guard === 'admin')
      .map(({ path }) => path.replace(':id', staff.userId))
    for (const path of [
      ...admin,
      '/admin/nothing',
      '/admin/users/a/b/c',
      '/admin/',
      '/admin?x=1',
    ]) {
      t.match(
        (await app.app.inject({ url: path })).headers.location,
        /^\/login\?from=%2Fadmin/,
        `${path} as a guest`,
      )
      t.match(
        (await merchant.get(path)).headers.location,
        /^\/login\?from=%2Fadmin/,
        `${path} as a merchant`,
      )
      const posted = await merchant.post(path)
      t.match(
        [posted.statusCode, posted.headers.location],
        [303, '/login?from=%2Fadmin'],
        `POST ${path} as a merchant`,
      )
    }
    for (const { path } of routes.filter(
      ({ guard, path }) => guard === 'store' && !path.includes(':'),
    )) {
      const answer = await staff.get(path)
      t.equal(answer.statusCode, 302, path)
      t.match(answer.headers.location, /^\/auth\?/, `${path} as staff`)
    }
    const missing = await staff.get('/admin/nothing')
    t.equal(missing.statusCode, 404)
    t.match(missing.body, 'class="sidenav" aria-label="Staff"', 'staff see their layout')
    t.match(missing.headers['content-security-policy'], "frame-ancestors 'none'")
    const part = await app.app.inject({ url: '/admin/users', headers: { 'hx-request': 'true' } })
    t.match([part.statusCode, part.headers['hx-redirect']], [204, '/login?from=%2Fadmin%2Fusers'])
    for (const path of [
      '/%61dmin',
      '/%61dmin/users',
      '/Admin',
      '/ADMIN/users',
      '/admin%2Fusers',
      '//admin',
    ])
      for (const browse of [staff.get, merchant.get]) {
        const answer = await browse(path)
        t.notMatch(answer.body, developmentStaff.email, path)
        t.not(answer.statusCode, 200, path)
      }
  },
)

t.test('other cookies than a staff session open nothing', async t => {
  const browser = browserOf(merchant)
  for (const value of [
    '',
    'x',
    'staff-',
    `staff-${'x'.repeat(43)}`,
    'x'.repeat(3000),
    '%00',
    '"; DROP TABLE',
    `Bearer ${'x'.repeat(40)}`,
  ]) {
    browser.jar.set('twinshelf_staff', value)
    t.equal((await browser.get('/admin')).statusCode, 302, value.slice(0, 20))
  }
})

t.test('when the API does not answer, a page says so and nobody is signed out', async t => {
  let log = ''
  const logger = pino(
    { level: 'trace' },
    new Writable({
      write: (chunk: Buffer, _, done) => {
        log += chunk.toString()
        done()
      },
    }),
  )
  const away = await buildApp({
    config: appConfig({
      APP_ORIGIN: 'http://localhost:3000',
    }),
    upstreamOrigin: 'http://127.0.0.1:1',
    log: logger,
    timeouts: { deadline: 0 },
  })
  t.teardown(away.close)
  const { token } = await signInStaff(merchant)
  const page = await away.app.inject({
    url: '/admin/users',
    headers: { cookie: `twinshelf_staff=${token}` },
  })
  t.equal(page.statusCode, 502)
  t.same(page.cookies, [])
  const entry = await away.app.inject({
    method: 'POST',
    url: '/login',
    payload: new URLSearchParams({ email, password }).toString(),
    headers: {
      origin: 'http://localhost:3000',
      'content-type': 'application/x-www-form-urlencoded',
    },
  })
  t.equal(entry.statusCode, 502)
  const step = await away.app.inject({
    url: '/login',
    headers: { cookie: `twinshelf_staff=${token}` },
  })
  t.equal(step.statusCode, 502, 'a sign-in that waits for a code does not start again')
  const link = await away.app.inject({ url: '/reset?token=of-a-mail' })
  t.equal(link.statusCode, 502, 'a link is not called dead because the API is')
  for (const secret of [token, password, encodeURIComponent(password), email])
    t.notMatch(log, secret)
})
