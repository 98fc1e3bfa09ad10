import t from 'tap'
import { textOf } from '../support/merchant.ts'
import { signInStaff, startStaff } from '../support/staff.ts'

const { merchant, staff, close } = await startStaff()
t.teardown(close)
const field = (html: string, name: string) =>
  new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(html)?.[0] ?? ''
const { count } = await staff.call('staffUsers', { query: {} })

t.test('staff sign in, and every linked page exists', async t => {
  const home = await staff.get('/admin')
  t.equal(home.statusCode, 200)
  t.match(home.headers['content-security-policy'], "frame-ancestors 'none'")
  t.match(textOf(home.body), /needs? attention/)
  const links = new Set(
    [...home.body.matchAll(/href="(\/[^"]*)"/g)]
      .map(([, path]) => path!)
      .filter(path => !path.startsWith('/built/')),
  )
  t.ok(links.has('/admin/users'))
  for (const path of [...links].filter(path => path.startsWith('/admin/users')))
    t.equal((await staff.get(path)).statusCode, 200, path)
})

t.test('days of another year have their year, days of this year do not', async t => {
  const { db, now } = merchant.engine,
    thisYear = now.at.getUTCFullYear()
  t.teardown(() => db.kysely.updateTable('staff_users').set({ created_at: now.at }).execute())
  const added = async (day: string) => {
    await db.kysely
      .updateTable('staff_users')
      .set({ created_at: new Date(`${day}T15:00:00Z`) })
      .execute()
    return textOf((await staff.get('/admin/users')).body)
  }
  t.match(await added('2023-03-04'), '4 Mar 2023, 15:00')
  t.match(await added(`${thisYear}-03-04`), '4 Mar, 15:00')
})

t.test('a member is added, wrong fields are named, and the search finds the member', async t => {
  t.equal((await staff.get('/admin/add-user')).statusCode, 200)
  for (const [fields, name, message] of [
    [{ email: '', name: 'Kim' }, 'email', 'Enter an e-mail address.'],
    [{ email: 'kim', name: 'Kim' }, 'email', 'This is not an e-mail address.'],
    [
      { email: 'STAFF@twinshelf.test', name: 'Kim' },
      'email',
      'This email address is already in use.',
    ],
    [{ email: 'kim@twinshelf.test', name: '' }, 'name', 'Enter a name.'],
    [{ email: 'kim@twinshelf.test', name: 'x'.repeat(101) }, 'name', 'Use at most 100 characters.'],
    [
      { email: `${'x'.repeat(320)}@twinshelf.test`, name: 'Kim' },
      'email',
      'This is not an e-mail address.',
    ],
    [{ email: 'kim@twinshelf.test' }, 'name', 'Enter a name.'],
  ] as const) {
    const refused = await staff.post('/admin/add-user', fields)
    t.equal(refused.statusCode, 422, JSON.stringify(fields))
    t.match(field(refused.body, name), /aria-invalid="true"/)
    t.match(field(refused.body, name), /autofocus/, 'the first wrong field has the focus')
    t.match(textOf(refused.body), message)
    if (fields.email)
      t.match(field(refused.body, 'email'), `value="${fields.email}"`, 'the form keeps the email')
  }
  t.equal((await staff.call('staffUsers', { query: {} })).count, count, 'nothing is stored')
  const added = await staff.post('/admin/add-user', {
    email: 'kim@twinshelf.test',
    name: 'Kim <script>alert(1)</script>',
  })
  t.equal(added.statusCode, 303)
  const page = await staff.get(String(added.headers.location))
  t.match(textOf(page.body), 'was added. An invitation is on its way to kim@twinshelf.test.')
  t.notMatch(page.body, '<script>alert')
  t.match(textOf(page.body), /Invited.*Password Not set yet.*Send a new invitation/)
  t.match(textOf((await staff.get('/admin/users?search=KIM%40')).body), /Kim .*Invited.*Never/)
  const none = await staff.get('/admin/users?search=%3Cb%3Enobody')
  t.match(none.body, 'Nothing found for “&lt;b>nobody”')
  t.notMatch(none.body, '<b>nobody')
})

t.test('paging a long list keeps the search', async t => {
  for (let i = 0; i < 30; i++)
    await staff.call('addStaffUser', {
      body: { email: `many-${i}@twinshelf.test`, name: `Many ${String(i).padStart(2, '0')}` },
    })
  const first = await staff.get('/admin/users?search=many')
  t.match(textOf(first.body), /1–25 of 30 users.*Page 1 of 2/)
  const next = /href="([^"]*page=2[^"]*)"/.exec(first.body)![1]!.replaceAll('&amp;', '&')
  const second = await staff.get(next)
  t.match(textOf(second.body), /Many 25.*26–30 of 30 users.*Page 2 of 2/)
  t.notMatch(second.body, 'Many 24')
  t.equal(
    (await staff.get('/admin/users?search=many&page=9')).headers.location,
    '/admin/users?search=many',
    'a page after the last leads to the first',
  )
  for (const page of ['0', '-1', 'x', '1.5', '1e99', ''])
    t.equal((await staff.get(`/admin/users?page=${page}`)).statusCode, 200, page)
})

t.test('a member is renamed, sent a link, signed out, disabled and enabled', async t => {
  const { user } = await staff.call('addStaffUser', {
    body: { email: 'omar@twinshelf.test', name: 'Omar' },
  })
  const path = `/admin/users/${user.id}`
  const done = async (act: string, fields: Record<string, string> = {}) => {
    const posted = await staff.post(`${path}${act}`, fields)
    t.match([posted.statusCode, posted.headers.location], [303, path], act)
    return textOf((await staff.get(path)).body)
  }
  t.match(
    await done('', { name: 'Omar Said' }),
    /Omar Said.*Renamed ?: Omar to Omar Said.*Renamed to Omar Said\./,
  )
  const empty = await staff.post(path, { name: '  ' })
  t.equal(empty.statusCode, 422)
  t.match(textOf(empty.body), 'Enter a name.')
  t.match(textOf(empty.body), 'Omar Said', 'the page still shows the member')
  t.match(await done('/link'), 'A link to set a password is on its way to omar@twinshelf.test.')
  t.match(await done('/sign-out'), 'There was no session to end.')
  t.match(
    (await staff.get(path)).body,
    /<dialog id="disable"[\s\S]*Disable Omar Said\?[\s\S]*<button class="danger">Disable<\/button>/,
    'disabling needs a confirmation',
  )
  t.match(
    await done('/disable'),
    /Disabled.*Omar Said cannot sign in\..*Omar Said can no longer sign in\. Their sessions have ended\./,
  )
  t.equal((await staff.post(`${path}/link`)).statusCode, 409)
  t.match(await done('/enable'), 'Omar Said can sign in again.')
})

t.test(
  'members cannot disable themselves; signing out everywhere leads to the sign-in page',
  async t => {
    const own = await signInStaff(merchant)
    const page = await own.get(`/admin/users/${own.userId}`)
    t.notMatch(page.body, 'id="disable"')
    t.match(textOf(page.body), 'You cannot disable your own account.')
    const refused = await own.post(`/admin/users/${own.userId}/disable`)
    t.equal(refused.statusCode, 409)
    t.match(refused.body, 'aria-label="Staff"')
    t.equal((await own.get('/admin')).statusCode, 200)
    t.equal((await own.post(`/admin/users/${own.userId}/sign-out`)).statusCode, 303)
    t.match((await own.get('/admin')).headers.location, '/login?from=%2Fadmin')
  },
)

t.test('unknown members are 404', async t => {
  const again = await signInStaff(merchant)
  for (const id of ['x', '00000000-0000-0000-0000-000000000000', '..%2f..', `${'9'.repeat(200)}`]) {
    t.equal((await again.get(`/admin/users/${id}`)).statusCode, 404, id)
    for (const act of ['', '/disable', '/enable', '/link', '/sign-out'])
      t.equal(
        (await again.post(`/admin/users/${id}${act}`, { name: 'X' })).statusCode,
        404,
        `${id}${act}`,
      )
  }
})
