import t from 'tap'
import { holdCause } from '../../../domain/tests/hold-cause.ts'
import { seedTest } from '../../engine/support/seeds.ts'
import { seedSummary } from '../../engine/support/summaries.ts'
import { startMerchant, textOf } from '../support/merchant.ts'

const merchant = await startMerchant()
const {
  engine: { db, now },
  call,
  get,
  post,
  close,
} = merchant
t.teardown(close)
const { store_id: storeId } = await db.kysely
  .selectFrom('stores')
  .select('store_id')
  .executeTakeFirstOrThrow()
const seed = async (
  over: Parameters<typeof seedTest>[2],
  visitors: [number, number] = [60, 61],
) => {
  const id = await seedTest(db, storeId, { start_at: now.at, ...over })
  await seedSummary(db, storeId, id, visitors)
  return id
}
const clear = async () => {
  await db.kysely.deleteFrom('tests').where('store_id', '=', storeId).execute()
}
const status = async (id: string) => (await call('test', { params: { id } })).status
const dialogOf = (body: string): string =>
  /<dialog id="[\w-]+"[^>]* open[^>]*>[\s\S]*?<\/dialog>/.exec(body)?.[0] ?? ''
const fieldOf = (html: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
const menuOf = (body: string) =>
  textOf(/<template id="row-menu">[\s\S]*?<\/template>/.exec(body)?.[0] ?? '')

t.test('each row has the acts that its state allows', async t => {
  const rows = {
    running: await seed({ title: 'Runs' }),
    scheduled: await seed({
      title: 'Waits',
      status: 'Scheduled',
      start_at: null,
      launch_at: new Date(now.at.getTime() + 9e8),
    }),
    paused: await seed({ title: 'Rests', status: 'Paused' }),
    'on-hold': await seed({ title: 'Held', status: 'OnHold' }),
    ended: await seed({
      title: 'Over',
      ended_at: now.at,
      applied_at: now.at,
      applied_arm: 'variant',
    }),
  }
  const acts = {
    running: /Open report Pause… End… Copy link Duplicate into a draft Delete…/,
    scheduled: /Open report Start now… End… Copy link Dup/,
    paused: /Open report Resume End…/,
    'on-hold': /Open report Resume End…/,
    ended: /Open report Copy link Duplicate into a draft Delete…/,
  }
  for (const [tab, id] of Object.entries(rows)) {
    t.match(menuOf((await get(`/tests/list/${tab}`)).body), acts[tab as keyof typeof acts], tab)
    t.match(
      textOf(dialogOf((await get(`/tests/list/${tab}?ask=acts&test=${id}`)).body)),
      acts[tab as keyof typeof acts],
      `${tab}, without scripts`,
    )
  }
  t.match(textOf((await get('/tests/list/ended')).body), /Applied \d+ \w+ \d{4}/)
  const { id } = await call('createDraft', { body: { kind: 'UrlRedirect', title: 'Begun' } })
  const drafts = await get('/tests/list/drafts')
  t.match(menuOf(drafts.body), /Edit Copy link Duplicate Delete…/)
  t.match(
    textOf(dialogOf((await get(`/tests/list/drafts?ask=delete-draft&test=${id}`)).body)),
    'Delete Begun?',
  )
  const { id: blank } = await call('createDraft', { body: { kind: 'Theme', title: ' ' } })
  t.match(
    textOf(dialogOf((await get(`/tests/list/drafts?ask=delete-draft&test=${blank}`)).body)),
    'Delete this draft?',
  )
  await call('deleteDraft', { params: { id: blank } })
  const copies = await Promise.all([
    post(`/tests/draft/edit/${id}/duplicate`),
    post(`/tests/draft/edit/${id}/duplicate`),
  ])
  t.match(copies[0]!.headers.location, /^\/tests\/draft\/edit\/[0-9a-f-]{36}$/)
  t.equal(copies[1]!.headers.location, copies[0]!.headers.location, 'a double click makes one copy')
  t.equal((await post(`/tests/draft/edit/${crypto.randomUUID()}/duplicate`)).statusCode, 404)
  await clear()
})

t.test('deleting names the figures that are lost', async t => {
  const id = await seed({ title: 'Counted', status: 'Paused' })
  t.match(
    textOf(dialogOf((await get(`/tests/list/paused?ask=delete&test=${id}`)).body)),
    'its report with the figures of 121 visitors, the verdict, the order ledger and its events.',
  )
  await clear()
})

t.test('an act with a confirmation opens its dialog on the list and leads back to it', async t => {
  const id = await seed({ title: 'Asked' })
  const { body } = await get(`/?sort=title&ask=pause&test=${id}`)
  t.match(textOf(dialogOf(body)), 'Pause Asked? All visitors see the control at once')
  t.equal(
    fieldOf(dialogOf(body), 'back'),
    `/?sort=title#row-${id}`,
    'the address scrolls to the row',
  )
  t.equal(
    (await post(`/tests/${id}/pause`, { back: `/?sort=title#row-${id}` })).headers.location,
    `/?sort=title#row-${id}`,
  )
  for (const ask of [
    `pause&test=${id}`,
    `start&test=${id}`,
    'pause',
    `pause&test=${crypto.randomUUID()}`,
    'end&test=../x',
    'evil',
    `delete-draft&test=${id}`,
    'acts&test=gone',
  ]) {
    const page = await get(`/?ask=${ask}`)
    t.equal(page.statusCode, 200, ask)
    t.equal(dialogOf(page.body), '', ask)
  }
  t.match(
    textOf(dialogOf((await get(`/tests/list/paused?ask=delete&test=${id}`)).body)),
    'Delete Asked? Deleted for good: its report with',
  )
  t.equal(
    (await post(`/tests/${id}/delete`, { back: '/tests/list/paused' })).headers.location,
    '/tests/list/paused',
  )
  await clear()
})

t.test('all tests, or only price tests, are ended after a dialog named them', async t => {
  t.match(textOf(dialogOf((await get('/?ask=end-all')).body)), 'No test to end')
  const element = await seed({ title: 'Element' }),
    price = await seed({ title: 'Dearer', kind: 'Price', status: 'Paused' }),
    over = await seed({ title: 'Over', ended_at: now.at })
  const prices = dialogOf((await get('/?ask=end-prices')).body)
  t.match(
    textOf(prices),
    /End this price test\? All visitors see the control again and every price is the shop’s own\. Its result is kept; it cannot be started again\. Dearer Paused Keep it End 1 test/,
  )
  const end = (html: string, over: Record<string, string> = {}) =>
    post('/tests/end-all', {
      scope: fieldOf(html, 'scope'),
      ids: fieldOf(html, 'ids'),
      back: fieldOf(html, 'back'),
      ...over,
    })
  t.equal((await end(prices)).headers.location, '/')
  t.same([await status(price), await status(element)], ['Ended', 'Active'])
  t.match(textOf((await get('/')).body), 'One test has ended.')

  const all = dialogOf((await get('/tests/list/ended?ask=end-all')).body)
  const later = await seed({ title: 'Came since', status: 'Paused' })
  await seed({ title: 'Another' })
  const asked = await end(all)
  t.equal(
    asked.headers.location,
    '/tests/list/ended?ask=end-all&changed',
    'a test that was not named does not end',
  )
  t.same([await status(element), await status(later)], ['Active', 'Paused'])
  const again = dialogOf((await get('/tests/list/ended?ask=end-all&changed')).body)
  t.match(
    textOf(again),
    /End all 3 tests\? The list of unfinished tests has changed .*Another Running Element Running Came since Paused/,
  )
  t.notMatch(textOf(again), 'Over')
  t.same(
    (await Promise.all([end(again), end(again)])).map(({ headers }) => headers.location),
    ['/tests/list/ended', '/tests/list/ended'],
    'both clicks of a double click lead to the list',
  )
  t.same(
    [await status(element), await status(later), await status(over)],
    ['Ended', 'Ended', 'Ended'],
  )
  t.equal((await end(all, { scope: 'everything' })).statusCode, 400)
  t.equal(
    (
      await post(
        '/tests/end-all',
        { scope: 'all' },
        { headers: { origin: 'https://evil.example' } },
      )
    ).statusCode,
    403,
  )
  t.equal((await get('/tests/end-all')).statusCode, 404)
  await clear()
})

t.test(
  'ticked tests are ended or deleted after a dialog named them; refused ones are named',
  async t => {
    const runs = await seed({ title: 'Runs' }),
      waits = await seed({ title: 'Also runs' }),
      other = await seed({ title: 'Not ticked' })
    const page = (await get('/')).body
    t.equal([...page.matchAll(/form="chosen" name="test" value="/g)].length, 3)
    t.match(
      page,
      /<form id="chosen" class="chosen-bar" action="\/"><[\s\S]*name="ask" value="end-chosen"/,
    )
    const asked = dialogOf(
      (
        await get(
          `/?sort=title&ask=end-chosen&test=${runs}&test=${waits}&test=${crypto.randomUUID()}`,
        )
      ).body,
    )
    t.match(
      textOf(asked),
      /End 2 tests\? All visitors see the control again\. Results are kept; .* Also runs Running .*Keep them End 2 tests/,
    )
    t.match(textOf(asked), 'Runs Running')
    t.notMatch(textOf(asked), 'Not ticked')
    const send = (act: string, html: string) =>
      post(`/tests/chosen/${act}`, { ids: fieldOf(html, 'ids'), back: fieldOf(html, 'back') })
    t.same(
      (await Promise.all([send('end', asked), send('end', asked)])).map(
        ({ headers }) => headers.location,
      ),
      ['/?sort=title', '/?sort=title'],
      'a double click',
    )
    t.same(
      [await status(runs), await status(waits), await status(other)],
      ['Ended', 'Ended', 'Active'],
    )
    t.match(textOf((await get('/')).body), '2 tests have ended. Everyone sees the control.')
    t.equal(
      dialogOf((await get(`/?ask=end-chosen&test=${runs}`)).body),
      '',
      'the chosen test is no longer in this list',
    )

    const stays = await seed({
      title: 'Stays',
      ended_at: now.at,
      applied_at: now.at,
      applied_arm: 'variant',
      status: 'Ended',
    })
    const ended = dialogOf(
      (await get(`/tests/list/ended?ask=delete-chosen&test=${runs}&test=${stays}`)).body,
    )
    t.match(textOf(ended), /Delete 2 tests\? Deleted for good: their reports/)
    t.equal((await send('delete', ended)).headers.location, '/tests/list/ended')
    const text = textOf((await get('/tests/list/ended')).body)
    t.match(
      text,
      /One test is deleted\. “Stays” is not deleted: This test’s changes are shown to everyone\./,
    )
    await t.rejects(status(runs))

    const { id } = await call('createDraft', { body: { kind: 'UrlRedirect', title: 'Begun' } })
    const drafts = dialogOf((await get(`/tests/list/drafts?ask=delete-drafts&test=${id}`)).body)
    t.match(
      textOf(drafts),
      /Delete 1 draft\? This deletes the draft, its settings, and .* Begun Draft Keep it Delete 1 draft/,
    )
    await send('delete-drafts', drafts)
    await t.rejects(call('draft', { params: { id } }))
    for (const ids of ['', 'a/b', Array.from({ length: 101 }, (_, i) => i).join(' ')])
      t.equal((await post('/tests/chosen/end', { ids })).statusCode, 400)
    await clear()
  },
)

t.test('stopped tests have notices above the list until this browser dismisses them', async t => {
  t.notMatch((await get('/')).body, 'Stopped since')
  await seed({
    title: 'No page',
    kind: 'UrlRedirect',
    status: 'OnHold',
    hold_cause: JSON.stringify(holdCause('pageGone', 'The shop has no page at /pages/gone.')),
  })
  const suspended = await seed({ title: 'Unpaid', status: 'Suspended' })
  for (let visit = 0; visit < 2; visit++) {
    const text = textOf((await get('/?sort=title')).body)
    t.match(
      text,
      /“Unpaid” is suspended Your subscription is not active\..* See plans .*“No page” is on hold The shop has no page at \/pages\/gone\. Restore the page .* Choose another page Resume Dismiss all 2/,
      'the notices stay until they are dismissed',
    )
  }
  const { body } = await get('/?sort=title')
  t.match(
    body,
    new RegExp(`href="/tests/[0-9a-f-]{36}\\?ask=variant">Choose another page`),
    'the advised act',
  )
  const notices = [...body.matchAll(/name="notice" value="([^"]+)"/g)].map(match => match[1]!)
  const one = await post('/tests/stopped/seen', { notice: notices[0]!, back: '/?sort=title' })
  t.equal(one.headers.location, '/?sort=title')
  t.match(
    one.headers['set-cookie'],
    /Max-Age=\d{7,};.*HttpOnly/,
    'the browser remembers it after it is closed',
  )
  const rest = textOf((await get('/')).body)
  t.match(rest, '“No page” is on hold')
  t.notMatch(rest, /“Unpaid” is suspended|Dismiss all/, 'one notice is dismissed separately')
  t.equal((await post('/tests/stopped/seen', { notice: 'x;y' })).statusCode, 400)
  const seen = {
    onHold: fieldOf(body, 'onHold'),
    suspended: fieldOf(body, 'suspended'),
    back: '/?sort=title',
  }
  t.equal((await post('/tests/stopped/seen', seen)).headers.location, '/?sort=title')
  t.notMatch((await get('/')).body, 'Stopped since')
  now.at = new Date(now.at.getTime() + 60_000)
  await seed({
    title: 'Another',
    status: 'OnHold',
    hold_cause: JSON.stringify(holdCause('visitorLimit')),
  })
  const news = textOf((await get('/')).body)
  t.match(news, '“Another” is on hold')
  t.notMatch(news, /“No page” is on hold|“Unpaid” is suspended/, 'dismissed notices do not return')
  for (const wrong of [
    {},
    { onHold: 'yesterday', suspended: seen.suspended },
    { onHold: '2026-13-01T00:00:00.000Z', suspended: seen.suspended },
  ])
    t.equal((await post('/tests/stopped/seen', wrong as Record<string, string>)).statusCode, 400)
  await db.kysely
    .updateTable('tests')
    .set({ status: 'Ended' })
    .where('test_id', '=', suspended)
    .execute()
})
