import t from 'tap'
import { onboardingEnd } from '../../../server/onboarding/onboarding.ts'
import { startMerchant, textOf } from '../support/merchant.ts'

const merchant = await startMerchant()
const {
  engine: { db, now },
  get,
  post,
  close,
} = merchant
t.teardown(close)
const start = '/welcome',
  contact = '/welcome/contact',
  industry = '/welcome/choose-industry',
  last = '/welcome/last-question'
const stored = () => db.kysely.selectFrom('stores').selectAll().executeTakeFirstOrThrow()
const renew = async () => {
  await db.kysely
    .updateTable('stores')
    .set({
      onboarded: false,
      onboarding_started_at: null,
      industry: null,
      team_size: null,
      testing_experience: null,
      source: null,
      name: 'Fern & Kiln',
    })
    .execute()
  // Move the clock 11 seconds: the app caches the store for some seconds.
  now.at = new Date(now.at.getTime() + 11_000)
}
const answers = { testingExperience: 'some', source: 'search' }
t.test('four steps lead from a plan to the page that the merchant opened first', async t => {
  await renew()
  const sent = await get('/settings/support')
  const from = '?from=%2Fsettings%2Fsupport'
  t.equal(sent.headers.location, start + from)
  const first = await get(start + from)
  t.match(textOf(first.body), /Step 1 of 4 Welcome, Fern & Kiln .*Get started/)
  t.match(textOf(first.body), /An example\./)
  t.equal(
    (await stored()).onboarding_started_at,
    null,
    'opening the page does not start the onboarding',
  )
  t.equal((await post(start + from)).headers.location, contact + from)
  t.ok((await stored()).onboarding_started_at)

  t.match(textOf((await get(contact + from)).body), /Step 2 of 4 What is your store called\?/)
  t.equal(
    (await post(contact + from, { name: '  Fern and Kiln ' })).headers.location,
    industry + from,
  )
  t.equal((await stored()).name, 'Fern and Kiln')

  const third = await get(industry + from)
  t.match(
    textOf(third.body),
    /Step 3 of 4 .*Kitchen and tableware.*Something else.*Team size Just me 2–5/,
  )
  t.match(third.body, `href="${contact}${from}"`, 'the link back keeps the first page')
  t.equal(
    (await post(industry + from, { selectedIndustry: 'kitchen', teamSize: '2-5' })).headers
      .location,
    last + from,
  )
  t.match(await stored(), { industry: 'kitchen', team_size: '2-5' })

  t.match(
    textOf((await get(last + from)).body),
    /Step 4 of 4 .*I have never run a test.*A search engine/,
  )
  const done = await post(last + from, answers)
  t.equal(done.headers.location, '/settings/support')
  t.match(await stored(), { testing_experience: 'some', source: 'search', onboarded: true })
  t.match(textOf((await get('/settings/support')).body), 'Your store is set up')
  t.equal((await get(start)).headers.location?.split('?')[0], '/', 'all questions are answered')
})

t.test('an answered step shows its answers', async t => {
  await renew()
  await db.kysely
    .updateTable('stores')
    .set({
      industry: 'toys',
      team_size: '51+',
      testing_experience: 'expert',
      source: 'event',
      name: 'A "B" <C>',
    })
    .execute()
  now.at = new Date(now.at.getTime() + 11_000)
  t.match((await get(contact)).body, 'value="A &quot;B&quot; &lt;C>"')
  for (const [path, values] of [
    [industry, ['toys', '51+']],
    [last, ['expert', 'event']],
  ] as const) {
    const { body } = await get(path)
    t.same(
      [...body.matchAll(/value="([^"]+)" checked/g)].map(([, value]) => value),
      values,
    )
  }
})

t.test(
  'a missing or unknown answer is named at its field; nothing is stored, and choices are kept',
  async t => {
    await renew()
    for (const [path, fields, problems, kept] of [
      [contact, { name: '   ' }, { name: 'Give the store a name.' }, ''],
      [contact, {}, { name: 'Give the store a name.' }, ''],
      [
        contact,
        { name: 'x'.repeat(101) },
        { name: 'Keep it to 100 characters; these are 101.' },
        `value="${'x'.repeat(101)}"`,
      ],
      [
        industry,
        {},
        {
          selectedIndustry: 'Choose what the shop sells.',
          teamSize: 'Choose how many work on the shop.',
        },
        '',
      ],
      [
        industry,
        { selectedIndustry: 'toys' },
        { teamSize: 'Choose how many work on the shop.' },
        'value="toys" checked',
      ],
      [
        industry,
        { selectedIndustry: '__proto__', teamSize: '2-5' },
        { selectedIndustry: 'Choose what the shop sells.' },
        'value="2-5" checked',
      ],
      [
        last,
        { testingExperience: 'none' },
        { source: 'Choose where you heard of us.' },
        'value="none" checked',
      ],
      [
        last,
        { testingExperience: 'wizard', source: '<script>' },
        {
          testingExperience: 'Choose how much testing you have done.',
          source: 'Choose where you heard of us.',
        },
        '',
      ],
    ] as [string, Record<string, string>, Record<string, string>, string][]) {
      const { statusCode, body } = await post(`${path}?from=%2Fsettings%2Fsupport`, fields)
      t.equal(statusCode, 422, path)
      t.same(
        Object.fromEntries(
          [...body.matchAll(/id="(\w+)-problem"[\s\S]*?<\/svg>([^<]*)/g)].map(([, field, text]) => [
            field,
            text,
          ]),
        ),
        problems,
      )
      t.match(body, 'aria-invalid="true"')
      t.ok(body.includes(kept), kept)
      t.match(body, `action="${path}?from=%2Fsettings%2Fsupport"`, 'the form keeps the first page')
    }
    t.match(await stored(), {
      name: 'Fern & Kiln',
      industry: null,
      testing_experience: null,
      onboarded: false,
    })
  },
)

t.test('onboarding ends on the first page if the store may see it, else at the tests', async t => {
  for (const from of ['/recommendations', '/tests/list/drafts?search=mug', '/devTest/design'])
    t.equal(onboardingEnd(from), from)
  t.equal(
    onboardingEnd('/recommendations?embedded=1&shop=a.b&timestamp=1&hmac=x&signed_in=1&page=2'),
    '/recommendations?page=2',
    'parameters of the shop’s admin are removed',
  )
  for (const from of [
    null,
    '',
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/\tevil',
    '/.//evil',
    '/%2F%2Fevil',
    '/welcome',
    '/welcome/contact',
    '/overlay/selectplan',
    '/admin',
    '/login',
    '/uninstalled',
    '/nowhere',
  ])
    t.equal(onboardingEnd(from), '/', String(from))
  await renew()
  t.equal((await post(`${last}?from=%2F%2Fevil.example`, answers)).headers.location, '/')
})

t.test('facts that the platform does not give about the merchant are left out', async t => {
  await renew()
  merchant.engine.shop.isDown = true
  t.teardown(() => {
    merchant.engine.shop.isDown = false
  })
  const { statusCode, body } = await get(contact)
  t.equal(statusCode, 200)
  t.notMatch(textOf(body), 'How we reach you')
})
