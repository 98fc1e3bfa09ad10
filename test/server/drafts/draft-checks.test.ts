import { cyclePeriod } from '../../../engine/events/fold/periods.ts'
import t from 'tap'
import { draftRow } from '../../../engine/drafts/draft-rows.ts'
import { contentHash, keepFindings } from '../../../engine/tests/launch/launch-findings.ts'
import { startMerchant, textOf } from '../support/merchant.ts'

const {
  engine: { db, now },
  app: { app },
  cookies,
  call,
  get,
  post,
  close,
} = await startMerchant({ engine: { CHROMIUM_PATH: '/bin/true' } })
t.teardown(close)
const { id: store } = await call('storeInfo', {})
const editor = (id: string) => `/tests/draft/edit/${id}`
const review = (id: string) => `${editor(id)}?step=review`
/** The text of the list of checks on a page. */
const listOf = (html: string) =>
  textOf(/<section class="card" id="launch-checks"[\s\S]*?<\/section>/.exec(html)?.[0] ?? '')
const later = () => {
  now.at = new Date(now.at.getTime() + 11_000)
}

async function draft(title: string, urlPatterns = '/products/*'): Promise<string> {
  const { id, hypotheses } = await call('createDraft', { body: { kind: 'PageElement', title } })
  await call('setDomSelectors', {
    params: { id: hypotheses[1]!.id },
    body: {
      domSelectors: [
        {
          id: '',
          urlPatterns: [urlPatterns],
          actions: [{ selector: '.buy', kind: 'text', value: 'Ships today', name: '' }],
        },
      ],
    },
  })
  return id
}

/** Stores findings as if a browser had checked the draft and found no problem. */
async function seen(id: string): Promise<string> {
  const row = (await draftRow(db.kysely, store, id))!
  await keepFindings(
    { db, clock: () => now.at },
    row,
    await contentHash({ db, platform: undefined as never }, row),
    [],
  )
  return id
}

t.test('the review lists each check with what to do and a link to it', async t => {
  const page = await get(review(await draft('Ships today')))
  t.match(
    listOf(page.body),
    /Check list Ready, with 1 warning Browser , warning The pages have not been opened in a browser yet.* 9 checks passed The draft , passed .* Twinshelf script .* Every address matches a page of your shop\. .* Planned length , passed At least 14 days/,
  )
  t.notMatch(page.body, 'launch-asks')
  const goal = textOf((await get(`${editor(await draft('Planned'))}?step=goal`)).body)
  t.match(
    goal,
    /How long will it take\? .* Visitors you expect a day .* At least 14 days, planned end .* Show as table .* 10 ?% chosen 101,\d{3} Not known/,
    'the sample plan without scripts',
  )
  const lost = await get(review(await draft('Lost', '/nowhere/*')))
  t.match(
    listOf(lost.body),
    /1 problem to fix Tested pages , to fix No page of the shop matches\. .* Go to pages/,
  )
  t.match(
    lost.body,
    /<button class="link" name="act" value="go:pages" aria-label="Tested pages: go to pages">/,
  )
})

t.test('a launch next to another test is confirmed once more and then done', async t => {
  const first = await seen(await draft('Badge'))
  t.match(
    (await post(review(first), { act: 'launch' })).headers.location,
    /^\/tests\/[0-9a-f-]{36}\?launched$/,
    'there is nothing to confirm',
  )
  const id = await seen(await draft('Button'))
  const asked = await post(review(id), { act: 'launch' })
  t.match([asked.statusCode, asked.headers.location], [303, `${review(id)}&ask=1`])
  const page = await get(asked.headers.location as string)
  t.match(page.body, /<dialog id="launch-asks" aria-labelledby="launch-asks-title" open>/)
  t.match(
    textOf(page.body),
    /Launch “Button”\? .* Launch beside “Badge”: each gets half of the visitors\. .* Not yet Launch anyway/,
  )
  t.notMatch((await get(review(id))).body, 'launch-asks', 'no dialog before the merchant launches')
  t.equal((await call('draft', { params: { id } })).title, 'Button', 'still a draft')
  const done = await post(`${review(id)}&ask=1`, { act: 'launchSurely' })
  t.match(done.headers.location, /^\/tests\/[0-9a-f-]{36}\?launched$/)
  t.match(
    (await post(review(id), { act: 'launchSurely' })).headers.location,
    done.headers.location as string,
    'a second click leads to the same test',
  )
  await call('endAllTests', { body: { priceTestsOnly: false } })
})

t.test(
  'a problem that no field of the draft can fix blocks the launch, with a message on the review',
  async t => {
    const id = await draft('No visitors left', '/pages/gift-guide')
    const { plan_id, monthly_visitors } = (
      await db.kysely.selectFrom('plans').select(['plan_id', 'monthly_visitors']).execute()
    ).toSorted((a, b) => a.monthly_visitors - b.monthly_visitors)[0]!
    await db.kysely
      .updateTable('stores')
      .set({ plan_id, trial_end: null, feature_flags: '["DomTesting"]' })
      .where('store_id', '=', store)
      .execute()
    const { created_at, usage_reset } = await db.kysely
      .selectFrom('stores')
      .select(['created_at', 'usage_reset'])
      .where('store_id', '=', store)
      .executeTakeFirstOrThrow()
    await db.kysely
      .insertInto('store_periods' as never)
      .values({
        store_id: store,
        period: cyclePeriod((usage_reset ?? created_at).getTime(), now.at.getTime()),
        visitors: monthly_visitors,
      } as never)
      .execute()
    later()
    const held = await post(review(id), { act: 'launch' })
    t.match([held.statusCode, held.headers.location], [303, `${review(id)}&ask=1`])
    const page = await get(held.headers.location as string)
    t.match(
      listOf(page.body),
      /1 problem to fix Visitor limit , to fix This cycle’s visitors have reached the plan’s limit\. Choose a plan with more visitors/,
    )
    t.match(page.body, /role="alert"/)
    t.match(page.body, 'usage resets. <a href="/settings/billing" hx-boost="false">See plans</a>')
    t.notMatch(page.body, 'launch-asks', 'nothing to confirm')
    await t.rejects(call('launchDraft', { params: { id } }), /reached the plan’s limit/)
    await db.kysely.deleteFrom('store_periods' as never).execute()
  },
)

t.test(
  'while a browser checks the pages, the list updates itself; without scripts by a button',
  async t => {
    const id = await draft('Looked at', '/products/mug')
    const before = await get(editor(id).concat('/checks'))
    t.match(
      [before.statusCode, before.headers.location],
      [303, review(id)],
      'without htmx it leads back to the review',
    )
    const started = await post(review(id), { act: 'review.check' })
    t.match([started.statusCode, started.headers.location], [303, review(id)])
    const page = await get(review(id))
    t.match(
      page.body,
      `hx-get="${editor(id)}/checks" hx-trigger="live:job from:document, every 2s"`,
    )
    t.match(
      listOf(page.body),
      /(Waiting for the browser to start|Opening \/products\/mug in the (control|variant), \d of 2) .* See progress/,
    )
    t.equal(
      (await get('/tests/draft/edit/00000000-0000-4000-8000-000000000000/checks')).statusCode,
      303,
    )
    t.equal((await get(review('00000000-0000-4000-8000-000000000000'))).statusCode, 404)
  },
)

t.test(
  'a launch without a browser’s check starts one first and returns to the confirmation',
  async t => {
    const id = await draft('Unseen', '/pages/gift-guide')
    const ask = `${review(id)}&ask=1`
    const sent = await post(`${editor(id)}?step=goal`, { act: 'launch' })
    t.match([sent.statusCode, sent.headers.location], [303, ask], 'this works from any step')
    const { jobId } = (await call('draftChecks', { params: { id } })).browser
    t.ok(jobId, 'the browser’s job has started')
    const waiting = await get(ask)
    t.match(waiting.body, `hx-get="${editor(id)}/checks?ask=1"`)
    t.match(
      listOf(waiting.body),
      /When that is done, you are asked to confirm\. .* Launch without waiting/,
    )
    t.notMatch(waiting.body, 'launch-asks')
    // As if the job had failed: the merchant is still asked to confirm.
    await db.kysely
      .updateTable('jobs')
      .set({
        status: 'errored',
        lease: null,
        message: 'The shop’s page took longer than half a minute to draw.',
      })
      .where('job_id', '=', jobId!)
      .execute()
    const done = await app.inject({
      url: `${editor(id)}/checks?ask=1`,
      headers: { cookie: cookies(), host: 'localhost:3000', 'hx-request': 'true' },
    })
    t.match([done.statusCode, done.headers['hx-refresh']], [204, 'true'])
    const asked = await get(ask)
    t.match(
      textOf(asked.body),
      /Launch “Unseen”\? .* The pages could not be opened: The shop’s page took .* Not yet Check the pages first Launch without checking/,
    )
    t.equal((await post(review(id), { act: 'review.checkFirst' })).headers.location, ask)
    t.match(
      (await post(review(id), { act: 'launch' })).headers.location,
      ask,
      'the same while the browser checks the pages',
    )
    t.match((await post(review(id), { act: 'launchSurely' })).headers.location, /\?launched$/)
  },
)

t.test('a feature that the plan lacks opens the offer of the right plan on the review', async t => {
  const plan = (plan_id: string) =>
    db.kysely
      .updateTable('stores')
      .set({ plan_id, trial_end: null, feature_flags: '["DomTesting"]' })
      .where('store_id', '=', store)
      .execute()
  await plan('advanced-100k-monthly')
  const { id: audience } = await call('createAudience', {
    body: { name: 'From search', values: { 2: { operator: 'Equals', value: 'search' } } },
  })
  const id = await draft('For some')
  await call('updateDraft', { params: { id }, body: { audienceIds: [audience] } })
  await plan('core-50k-monthly')
  later()
  const { body } = await get(review(id))
  t.match(
    listOf(body),
    /Plan , to fix Custom audiences come with the Advanced plan.* See the Advanced plan · Go to audience and split/,
  )
  const [, link] = /Choose a plan that includes it[^<]*<a[^>]*href="([^"]+)"/.exec(body)!
  const asked = await get(link!.replaceAll('&amp;', '&'))
  t.match(
    textOf(/<dialog open id="plan-upgrade"[\s\S]*?<\/dialog>/.exec(asked.body)?.[0] ?? ''),
    /Custom audiences/,
  )
  t.match(listOf(asked.body), 'Custom audiences come with', 'the offer is on the review')
})
