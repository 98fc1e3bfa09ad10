import { gzipSync } from 'node:zlib'
import t from 'tap'
import { routes } from '../../../domain/routes.ts'
import { earningsLimits } from '../../../domain/staff/staff-earnings.ts'
import { run } from '../../../engine/db/raw.ts'
import { seedStore, seedTest } from '../../engine/support/seeds.ts'
import { textOf } from '../support/merchant.ts'
import { startStaff } from '../support/staff.ts'

const {
  merchant: {
    engine: { engine, db, now },
    get: getAsMerchant,
  },
  staff: { get, post, call },
  close,
} = await startStaff()
t.teardown(close)
const day = 86_400_000
const {
  stores: [own],
} = await call('adminFeatures', { query: {} })
const nobody = '00000000-0000-4000-8000-000000000000'
const panel = routes
  .filter(({ guard, path }) => guard === 'admin' && !path.includes(':'))
  .map(({ path }) => path)
const hostile = await seedStore(db, {
  shop: 'hostile.demo-shop.test',
  name: '<script>alert("x")</script>\u2028',
})

t.test(
  'every page has a title, works with a search without results, and has only our script',
  async t => {
    for (const path of panel) {
      const response = await get(path)
      t.equal(response.statusCode, 200, path)
      t.match(response.body, /<title>[^<]+ \| Twinshelf<\/title>/)
      t.notMatch(response.body, '<script>alert', path)
      t.notMatch(response.body, 'data-live', `${path}: no connection for news`)
      t.match(response.headers['content-security-policy'], "frame-ancestors 'none'")
      const searched = await get(
        `${path}?search=${encodeURIComponent('nothing "holds" <this>')}&sort=nonsense&order=sideways&page=-1`,
      )
      t.equal(searched.statusCode, 200, `${path}, searched`)
    }
    t.match(
      textOf((await get('/admin/stores/features?search=zzz')).body),
      /Nothing found for “zzz”/,
    )
    t.match(textOf((await get('/admin/stores/trials')).body), /No store is on trial/)
    t.match(textOf((await get('/admin/health/tests')).body), /No test is running/)
    t.match(textOf((await get('/admin/plan-discounts/applied')).body), /No code has been used yet/)
    t.equal((await get('/admin/tests?page=9')).headers.location, '/admin/tests')
  },
)

t.test(
  'the first page says whether there are problems, and searches stores, tests and orders',
  async t => {
    const home = await get('/admin')
    t.match(textOf(home.body), /needs? attention/)
    for (const title of [
      'Visitors',
      'Events',
      'API response time',
      'API errors',
      'Installs',
      'Trials and plans',
    ])
      t.match(home.body, new RegExp(`>${title}</h2>`))
    const search = async (words: string) =>
      textOf((await get(`/admin?search=${encodeURIComponent(words)}`)).body)
    t.match(await search('fern'), /Results for “fern”.* Fern & Kiln fern-and-kiln/)
    t.match(await search('hostile.demo'), /hostile\.demo-shop\.test/)
    t.match(await search('100%_nothing'), /No store, test or order found/)
    t.match(home.body, /class="tile-trend"/)
    t.match(home.body, /, so far<\/th>/, 'today is marked as unfinished')
  },
)

t.test('the API’s responses are counted per hour, failures separately', async t => {
  await engine.writeMeter()
  const { hours, days } = await call('adminTrends', {})
  t.equal(hours.length, 24)
  t.equal(days.length, 30)
  const latest = hours.at(-1)!
  t.ok(latest.requests > 0 && latest.slowest !== null)
  t.equal(latest.errors, 0)
})

t.test('a store’s page has everything about it', async t => {
  const page = textOf((await get(`/admin/stores/trials/${own!.id}`)).body)
  for (const title of [
    'Plan and trial',
    'Script and access',
    'Tests',
    'Discounts',
    'Earnings',
    'Plan requests',
    'Figures',
    'Failed jobs',
    'Staff activity',
  ])
    t.match(page, title)
})

t.test('an unknown page or form is 404 in the staff layout', async t => {
  for (const path of [
    `/admin/stores/trials/${nobody}`,
    '/admin/stores/trials/x',
    `/admin/stores/features?store=${nobody}`,
    '/admin/earnings?month=2020-01',
    '/admin/earnings?month=x',
  ])
    t.equal((await get(path)).statusCode, 404, path)
  const styled = /rel="stylesheet" href="[^"]*staff/
  t.match((await get('/admin')).body, styled)
  t.match(
    (await get('/admin/nothing-here')).body,
    styled,
    'the layout has its styles on the 404 page too',
  )
  for (const path of [
    `/admin/stores/features/${nobody}`,
    `/admin/stores/trials/${nobody}`,
    '/admin/plan-discounts/codes/NOTHING',
    `/admin/health/stores/${nobody}`,
  ])
    t.equal((await post(path, { days: '3', trialEnd: now.at.toISOString() })).statusCode, 404, path)
  t.equal(
    (await getAsMerchant('/admin/stores/features')).statusCode,
    302,
    'a merchant is sent to the sign-in page',
  )
})

t.test('staff set a store’s network aside, and its page says by whom', async t => {
  await run(
    db.kysely,
    `insert into network_visitors (store_id, visitor_id, network, seen_at) select $1, 'visitor-' || n, 'busy-network', $2 from generate_series(1, 12) n`,
    [own!.id, now.at],
  )
  const page = `/admin/stores/trials/${own!.id}`
  t.match(await post(`${page}/networks`, { network: 'busy-network', counted: 'no' }), {
    statusCode: 303,
    headers: { location: page },
  })
  t.match(
    textOf((await get(page)).body),
    /12 100\.0% 0 Set aside by Twinshelf support Count again .* Set a network aside: busy-n, 12 visitors/,
  )
  t.match(await post(`${page}/networks`, { network: 'busy-network', counted: 'yes' }), {
    statusCode: 303,
    headers: { location: page },
  })
  t.match(
    textOf((await get(page)).body),
    /The network’s visitors are counted again\..* Counted again by Twinshelf support|Counted again by Twinshelf support.* The network’s visitors are counted again\./,
  )
})

t.test(
  'flags: the form shows all fifteen, and saving changes only those that were switched in it',
  async t => {
    const form = (await get(`/admin/stores/features?store=${own!.id}`)).body
    t.equal(form.match(/type="checkbox"/g)?.length, 15)
    t.match(form, /name="DomTesting" value="on" checked/)
    // Meanwhile another member turns a flag on.
    await call('switchFeatures', { params: { id: own!.id }, body: { on: ['ApiTesting'], off: [] } })
    const saved = await post(`/admin/stores/features/${own!.id}`, {
      was: 'DomTesting,PriceTesting',
      DomTesting: 'on',
      LiftAssists: 'on',
    })
    t.match(
      [saved.statusCode, saved.headers.location],
      [303, /^\/admin\/stores\/features\?search=/],
    )
    t.same(
      new Set((await call('adminStoreFeatures', { params: { id: own!.id } })).flags),
      new Set(['DomTesting', 'LiftAssists', 'ApiTesting']),
    )
    t.match(
      textOf((await get('/admin/stores/features')).body),
      /The flags of Fern & Kiln were saved/,
    )
    t.match(
      (await get(`/admin/stores/features?store=${hostile}`)).body,
      '&lt;script>alert(&quot;x&quot;)&lt;/script>',
    )
  },
)

t.test('a trial: a wrong value is named at the field, and the form keeps it', async t => {
  const trial_end = new Date(now.at.getTime() + 5 * day)
  const id = await seedStore(db, {
    shop: 'trial.demo-shop.test',
    name: 'On trial',
    trial_end,
    usage_reset: trial_end,
    subscription_id: 'sub-1',
  })
  t.match(
    textOf((await get('/admin/stores/trials?endsWithin=7')).body),
    /On trial trial\.demo-shop\.test Advanced 100k .* 5 days left .* 1 trial/,
  )
  const rows = async (query: string) => textOf((await get(`/admin/stores/trials?${query}`)).body)
  t.match(
    await rows('level=Advanced&script=missing'),
    /On trial trial\.demo-shop\.test .* Missing Never/,
  )
  for (const none of ['level=Core', 'script=installed', 'endsWithin=3'])
    t.match(await rows(none), /No trials match.*Clear filters/, none)
  t.match(
    (await get('/admin/stores/trials?level=Advanced')).body,
    /<option value="Advanced" selected/,
  )
  const path = `/admin/stores/trials/${id}`
  t.match((await get(path)).body, /<title>On trial \| Twinshelf<\/title>/)
  for (const days of ['', '0', '1001', 'seven', '1.5', '-2']) {
    const refused = await post(path, { days, trialEnd: trial_end.toISOString() })
    t.equal(refused.statusCode, 422, days)
    t.match(refused.body, /name="days"[^>]*aria-invalid="true"/)
    if (days) t.match(refused.body, `value="${days}"`)
    t.match(textOf(refused.body), /Enter whole days, from 1 to 1000/)
  }
  for (const days of ['1', '7'])
    t.match(
      textOf((await post(path, { days, trialEnd: '' })).body),
      /The trial’s end has changed meanwhile/,
    )
  t.match(textOf((await get(`/admin/stores/trials/${own!.id}`)).body), /Never on trial/)
  t.same(await db.kysely.selectFrom('trial_extensions').selectAll().execute(), [])
})

t.test('a discount code: refused by field, added, listed, ended', async t => {
  const good = {
    code: 'spring-20',
    valueType: '0',
    value: '20',
    planId: '',
    expiresAt: '',
    maxStores: '',
  }
  const add = (over: Partial<typeof good>) =>
    post('/admin/plan-discounts/add', { ...good, ...over })
  for (const [over, field, message] of [
    [{ code: '' }, 'code', /Enter a code/],
    [{ value: '' }, 'value', /whole percents/],
    [{ value: '12,5' }, 'value', /whole percents/],
    [{ valueType: '1', value: 'ten' }, 'value', /whole dollars/],
    [{ planId: 'nope' }, 'planId', /no such plan/],
    [{ expiresAt: '2020-01-01' }, 'expiresAt', /Choose today or a later day/],
    [{ expiresAt: 'soon' }, 'expiresAt', /no such day/],
    [{ maxStores: 'many' }, 'maxStores', /whole number/],
  ] as [Partial<typeof good>, string, RegExp][]) {
    const refused = await add(over)
    t.equal(refused.statusCode, 422, JSON.stringify(over))
    t.match(refused.body, new RegExp(`name="${field}"[^>]*aria-invalid="true"`))
    t.match(textOf(refused.body), message)
    if (field !== 'code') t.match(refused.body, 'value="spring-20"', 'the form keeps the code')
  }
  t.equal((await call('adminDiscounts', { query: {} })).count, 0)
  const today = now.at.toISOString().slice(0, 10)
  t.equal(
    (await add({ expiresAt: today, maxStores: ' 5 ' })).headers.location,
    '/admin/plan-discounts/codes',
  )
  t.match(
    (await call('adminDiscounts', { query: {} })).codes,
    [{ code: 'SPRING-20', expiresAt: `${today}T23:59:59.999Z`, maxStores: 5 }],
    'the code is valid until the end of its last day',
  )
  const list = await get('/admin/plan-discounts/codes')
  t.match(textOf(list.body), /SPRING-20 20% All plans .* 0 of 5/)
  t.match(textOf(list.body), /SPRING-20 takes off 20%/)
  t.match(textOf((await add({ code: 'SPRING-20' })).body), /There is a code SPRING-20 already/)
  t.match(list.body, /End SPRING-20 now\?/)
  t.equal((await post('/admin/plan-discounts/codes/SPRING-20')).statusCode, 303)
  const ended = textOf((await get('/admin/plan-discounts/codes?state=ended')).body)
  t.match(ended, /SPRING-20 20% All plans .* Ended/)
  t.match(ended, /SPRING-20 was ended/)
  t.equal((await post('/admin/plan-discounts/codes/SPRING-20')).statusCode, 409)
})

const boundary = 'a-form-of-ours'
type Part = { name: string; fileName?: string; content: string | Buffer }
const sendParts = (parts: Part[]) =>
  post(
    '/admin/earnings',
    {},
    {
      payload: Buffer.concat([
        ...parts.flatMap(({ name, fileName, content }) => [
          Buffer.from(
            `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"\r\ncontent-type: text/csv`}\r\n\r\n`,
          ),
          Buffer.from(content),
          Buffer.from('\r\n'),
        ]),
        Buffer.from(`--${boundary}--\r\n`),
      ]),
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    },
  )
const sendFile = (content: string | Buffer, fileName = 'october.csv') =>
  sendParts([{ name: 'file', fileName, content }])
const csv =
  'month,shop,plan,gross,fee,net\r\n2025-10,fern-and-kiln.demo-shop.test,core-50k-monthly,59.00,8.85,50.15\r\n'

t.test(
  'earnings: an invalid file is refused with a message, and no part of it is stored',
  async t => {
    const header = csv.split('\r\n')[0]!
    for (const [content, fileName, words] of [
      ['', '', /Choose a file/],
      ['', 'empty.csv', /The file is empty/],
      [csv, 'earnings.xlsx', /Choose a CSV file/],
      [Buffer.from([0xff, 0xfe, 0x00, 0x41]), 'utf16.csv', /not UTF-8 text/],
      [`${csv}\0`, 'nul.csv', /not UTF-8 text/],
      [gzipSync('x'.repeat(50_000_000)), 'packed.csv', /not UTF-8 text/],
      [gzipSync(csv), 'earnings.csv.gz', /Choose a CSV file/],
      [','.repeat(earningsLimits.bytes), 'cells.csv', /The first row must be/],
      [`${csv}${'x'.repeat(earningsLimits.bytes)}`, 'large.csv', /larger than 100 KiB/],
      [csv.replace('50.15', '51.15'), 'sum.csv', /Row 2, net: Net must be gross minus fee/],
      [`${header}\n`, 'header.csv', /has no rows below the header/],
      [csv.replace('month', 'Monat'), 'monat.csv', /The first row must be/],
    ] as [string | Buffer, string, RegExp][]) {
      const refused = await sendFile(content, fileName)
      t.equal(refused.statusCode, 422, fileName)
      t.match(textOf(refused.body), words)
      t.match(refused.body, /id="file"[^>]*aria-invalid="true"/)
    }
    t.equal(
      (await post('/admin/earnings', { file: csv })).statusCode,
      415,
      'a form without a file is refused',
    )
    t.equal((await sendParts([{ name: 'other', content: 'x' }])).statusCode, 422)
    t.equal(
      (
        await post(
          '/admin/earnings',
          {},
          {
            payload: 'nonsense',
            headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
          },
        )
      ).statusCode,
      400,
    )
    t.equal((await call('adminEarnings', { query: {} })).count, 0)
  },
)

t.test('earnings are stored and listed; replacing them needs a confirmation', async t => {
  t.equal((await sendFile(`\uFEFF${csv}`)).statusCode, 303)
  const listed = textOf((await get('/admin/earnings')).body)
  t.match(listed, /\$50\.15 net in all.*Oct 2025 1 row 1 \$59\.00 \$8\.85 \$50\.15/)
  t.match(listed, /One row of Oct 2025 was uploaded/)
  const changed = csv.replace('59.00,8.85,50.15', '10.00,1.00,9.00')
  const asked = await sendFile(changed)
  t.equal(asked.statusCode, 409)
  t.match(textOf(asked.body), /Oct 2025 was uploaded before/)
  t.match(
    textOf((await get('/admin/earnings')).body),
    /\$50\.15 net in all/,
    'nothing is stored before the confirmation',
  )
  t.match(
    (await get('/admin/earnings')).body,
    /<th[^>]*aria-sort="descending"[^>]*>(<[^>]*>)*Month/,
    'the newest month comes first by default',
  )
  t.match(
    (await get('/admin/earnings?sort=net')).body,
    /<th[^>]*aria-sort="ascending"[^>]*>(<[^>]*>)*Net/,
  )
  const kept = /<textarea name="csv"[^>]*>([^<]*)<\/textarea>/.exec(asked.body)![1]!
  t.equal(kept, changed.replaceAll('\r\n', '\n'))
  t.equal(
    (
      await sendParts([
        { name: 'fileName', content: 'october.csv' },
        { name: 'csv', content: kept.replaceAll('\n', '\r\n') },
      ])
    ).statusCode,
    303,
  )
  t.match(
    textOf((await get('/admin/earnings?month=2025-10')).body),
    /\$9\.00 net of 1 shop.*fern-and-kiln\.demo-shop\.test Core 50k \$10\.00 \$1\.00 \$9\.00/,
  )
})

t.test('tests and stores link to each other, and a row’s button checks the script', async t => {
  await seedTest(db, own!.id, {
    title: 'A “quoted” & <b>bold</b> test',
    start_at: new Date(now.at.getTime() - 5 * day),
    status: 'OnHold',
    hold_cause: JSON.stringify({ cause: 'pageGone', message: 'A page is gone.', remedy: '' }),
  })
  t.match((await get('/admin/tests')).body, 'A “quoted” &amp; &lt;b>bold&lt;/b> test')
  const troubled = (await get('/admin/health/tests')).body
  t.match(textOf(troubled), /On hold A page is gone/)
  t.match(troubled, /<th[^>]*aria-sort="ascending"[^>]*>(<[^>]*>)*Store/)
  t.match((await get('/admin/nowhere')).body, '<title>Not shown')
  t.equal((await get(`/admin/tests?search=${'x'.repeat(300)}`)).statusCode, 200)
  t.match(
    textOf((await get(`/admin/health/stores?view=all&search=${own!.shop}`)).body),
    /Fern & Kiln .* In order Published/,
  )
  const back = `/admin/health/stores?view=all&search=${own!.shop}`
  const checked = await post(`/admin/health/stores/${own!.id}`, { back })
  t.match([checked.statusCode, checked.headers.location], [303, back])
  const looked = textOf((await get(back)).body)
  t.match(looked, /The shop serves the script as it was published\./)
  for (const evil of [
    '//evil.test',
    'https://evil.test',
    '/admin/health/stores/../../x',
    '/\\evil.test',
    '/tests',
  ])
    t.equal(
      (await post(`/admin/health/stores/${own!.id}`, { back: evil })).headers.location,
      '/admin/health/stores',
      evil,
    )
  t.equal(
    (
      await post(
        `/admin/health/stores/${own!.id}`,
        {},
        { headers: { origin: 'https://evil.test' } },
      )
    ).statusCode,
    403,
  )
})
