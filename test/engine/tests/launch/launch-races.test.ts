import sharp from 'sharp'
import t from 'tap'
import type { Platform } from '../../../../engine/platform/adapter.ts'
import { aboutFile, stageAboutPage } from '../../support/about-page.ts'
import type { Refused } from '../../support/engine.ts'
import { firstShop } from '../../support/small-shop.ts'
import { startWithShop, withAllChanges } from '../../support/with-shop.ts'

/** The next call of the shop with this name waits: `begun` says that it was made. */
type Hold = { name: string; begun: PromiseWithResolvers<void>; end: PromiseWithResolvers<void> }
let hold: Hold | null = null
const holdNext = (name: keyof Platform): Hold =>
  (hold = { name, begun: Promise.withResolvers(), end: Promise.withResolvers() })
/** The calls of the shop since the list was emptied. */
const calls: string[] = []
const wrapPlatform = (platform: Platform): Platform =>
  new Proxy(platform, {
    get: (own, name: keyof Platform) => {
      const call = own[name] as unknown as (...asked: unknown[]) => unknown
      if (typeof call !== 'function') return call
      return (...asked: unknown[]) => {
        calls.push(name)
        if (hold?.name !== name) return call(...asked)
        const { begun, end } = hold
        hold = null
        begun.resolve()
        return end.promise.then(() => call(...asked))
      }
    },
  })

const { engine, shop, call, db, platform, merchant, close } = await startWithShop(
  { wrapPlatform },
  { CHROMIUM_PATH: 'off' },
  withAllChanges,
)
t.teardown(close)
const { id: page, themeId } = await stageAboutPage(platform, firstShop, merchant)
const body = async (name: string) =>
  (await platform.themeFiles(firstShop, themeId, [name]))[0]?.body ?? null
const copies = async () =>
  (await platform.themeFiles(firstShop, themeId, ['templates/'])).map(({ name }) => name)
const outcome = (asked: Promise<unknown>) =>
  asked.then(
    () => 'done',
    ({ status, problem }: Refused) => `${status} ${problem.message}`,
  )
const launched =
  '409 This draft was launched meanwhile, so your change was not made. To test it, duplicate the test and change the copy.'
const entries = (id: string) =>
  db.kysely.selectFrom('journal').selectAll().where('test_id', '=', id).execute()

/** A draft that can be launched: its variant shows one section less than the control. */
async function readyDraft() {
  const { id } = await call('createDraft', { body: { kind: 'PageContent', title: 'About' } })
  await call('setControl', { params: { id }, body: { type: 'page', suffix: 'about' } })
  const { variant } = await call('setVariant', { params: { id }, body: { granular: [page] } })
  const edit = async (isShown: boolean) =>
    call('setTemplateContent', {
      params: { id },
      body: {
        version: (await call('templateContent', { params: { id } })).version,
        sections: [{ id: 'story', isShown }],
      },
    })
  await edit(false)
  return { id, file: `templates/page.${variant!.suffix}.json`, edit }
}
const launch = async (id: string) => (await call('launchDraft', { params: { id } })).testId
const endAll = () => call('endAllTests', { body: { priceTestsOnly: false } })

t.test(
  'content that is on its way when its draft is launched is refused, and the test keeps its content',
  async t => {
    const { id, file } = await readyDraft()
    const before = await body(file),
      { version } = await call('templateContent', { params: { id } })
    const { begun, end } = holdNext('themes')
    const changing = outcome(
      call('setTemplateContent', {
        params: { id },
        body: { version, sections: [{ id: 'points', isShown: false }] },
      }),
    )
    await begun.promise
    const testId = await launch(id)
    end.resolve()
    t.equal(await changing, launched)
    t.equal(await body(file), before)
    await engine.runJobs()
    t.equal(await body(file), before)
    t.same(await entries(id), [], 'nothing is recorded for a draft that is gone')
    t.match(await entries(testId), [{ after: before, state: 'open' }])
    await endAll()
    await engine.runJobs()
    t.equal(await body(file), null)
  },
)

t.test('a launch that has checked older content checks again', async t => {
  const { id, edit } = await readyDraft()
  // The last question of a launch to the shop: whether the script is there.
  const { begun, end } = holdNext('scriptFinding')
  const launching = outcome(launch(id))
  await begun.promise
  // Control and variant are equal now, so nothing is left to test.
  await edit(true)
  end.resolve()
  t.equal(await launching, '400 This test is not ready to launch.')
  await edit(false)
  const testId = await launch(id)
  t.match(await call('test', { params: { id: testId } }), { status: 'Active' })
  await endAll()
  await engine.runJobs()
})

t.test('a launch is refused when the subscription lapses during its checks', async t => {
  const { id } = await readyDraft()
  const [subscription] = await platform.subscriptions(firstShop)
  const change = async (choice: 'freeze' | 'unfreeze') => {
    const url = `/admin/billing/${subscription!.id}/${choice}`
    t.equal((await shop.app.inject({ method: 'POST', url })).statusCode, 303)
    await shop.delivered()
  }
  const { begun, end } = holdNext('scriptFinding')
  const launching = outcome(launch(id))
  await begun.promise
  await change('freeze')
  end.resolve()
  t.equal(
    await launching,
    '409 There is no active subscription. Choose a plan first, then launch the test.',
  )
  await change('unfreeze')
  const testId = await launch(id)
  t.match(await call('test', { params: { id: testId } }), { status: 'Active' })
  await endAll()
  await engine.runJobs()
})

t.test('a launch waits for content that is being written', async t => {
  const { id, file, edit } = await readyDraft()
  const { begun, end } = holdNext('writeThemeFiles')
  const changing = edit(true)
  await begun.promise
  calls.length = 0
  const launching = outcome(launch(id))
  // The launch has time for all its questions, if it asks any.
  for (let n = 0; n < 50; n++) await call('draft', { params: { id } })
  t.same(calls, [], 'nothing is asked before the content is in the shop')
  end.resolve()
  await changing
  t.equal(await launching, '400 This test is not ready to launch.', 'it checks the new content')
  t.equal(await body(file), await body(aboutFile))
  await call('deleteDraft', { params: { id } })
  await engine.runJobs()
})

t.test('a copy that is made when its draft is launched is refused and not written', async t => {
  const { id } = await readyDraft()
  const before = await copies()
  const { begun, end } = holdNext('themes')
  const copying = outcome(call('setVariant', { params: { id }, body: { granular: [page] } }))
  await begun.promise
  await launch(id)
  end.resolve()
  t.equal(await copying, launched)
  t.same(await copies(), before)
  t.same(await entries(id), [])
  await endAll()
  await engine.runJobs()
})

t.test('a change is refused when its draft is deleted meanwhile', async t => {
  const { id, file } = await readyDraft()
  const { version } = await call('templateContent', { params: { id } })
  const { begun, end } = holdNext('themes')
  const changing = outcome(
    call('setTemplateContent', {
      params: { id },
      body: { version, sections: [{ id: 'points', isShown: false }] },
    }),
  )
  await begun.promise
  await call('deleteDraft', { params: { id } })
  end.resolve()
  t.match(await changing, /^409 /)
  await engine.runJobs()
  t.equal(await body(file), null)
  t.same(await copies().then(names => names.filter(name => name.includes('.ts-'))), [])
})

t.test(
  'a picture that is on its way when its draft is launched belongs to the test; when the draft is deleted, it is refused',
  async t => {
    const pixels = await sharp(Buffer.alloc(48), { raw: { width: 4, height: 4, channels: 3 } })
      .png()
      .toBuffer()
    const upload = (id: string) =>
      outcome(call('addPicture', { params: { id }, body: { file: pixels.toString('base64') } }))
    const pictures = () => db.kysely.selectFrom('pictures').select('name').execute()
    const { id } = await readyDraft()
    const first = holdNext('picture'),
      uploading = upload(id)
    await first.begun.promise
    const launching = launch(id)
    for (let n = 0; n < 50; n++) await call('draft', { params: { id } })
    first.end.resolve()
    t.equal(await uploading, 'done')
    const testId = await launching
    t.same(await entries(id), [])
    t.same((await entries(testId)).map(({ kind }) => kind).sort(), ['file', 'picture'])
    const [{ name } = { name: '' }] = await pictures()
    t.ok(await platform.picture(firstShop, name))
    await endAll()
    await engine.runJobs()
    t.equal(await platform.picture(firstShop, name), null)

    const gone = (await readyDraft()).id,
      second = holdNext('picture'),
      refused = upload(gone)
    await second.begun.promise
    await call('deleteDraft', { params: { id: gone } })
    second.end.resolve()
    t.equal(await refused, '409 This draft was deleted meanwhile, so your change was not made.')
    t.notOk((await pictures()).some(each => each.name !== name))
  },
)
