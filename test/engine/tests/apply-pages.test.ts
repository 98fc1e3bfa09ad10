import t from 'tap'
import { maxPlaces } from '../../../engine/journal/journal-steps.ts'
import { countResources } from '../../../engine/platform/resources.ts'
import { launchedFrom } from '../support/launched.ts'
import { firstShop } from '../support/small-shop.ts'
import { startWithShop, withAllChanges } from '../support/with-shop.ts'

t.setTimeout(300_000)
const moreProducts = 1_600
/** How many resources each call read or wrote. */
const read: number[] = [],
  written: number[] = []
const { call, db, engine, platform, shop, close } = await startWithShop(
  {
    wrapPlatform: own => ({
      ...own,
      resourcePage: async (...of) => {
        const page = await own.resourcePage(...of)
        read.push(page.items.length)
        return page
      },
      assignTemplates: (shop, changes) => {
        written.push(changes.length)
        return own.assignTemplates(shop, changes)
      },
    }),
  },
  {},
  { moreProducts, ...withAllChanges },
)
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})
const using = (suffix: string) => countResources(platform, firstShop, 'product', { suffix })

t.test('a winner is applied to many products by pages, all or none', async t => {
  const { id } = await call('createDraft', { body: { kind: 'Template' } })
  await call('setControl', { params: { id }, body: { type: 'product', suffix: '' } })
  const { variant } = await call('setVariant', { params: { id }, body: {} })
  const test = await launchedFrom(db, storeId, id)
  const all = await using('')
  /** Applies an arm, and returns what the test's history says then and after the job. */
  const apply = async (arm: 'control' | 'variant') => {
    const { events } = await call('applyTest', { params: { id: test }, body: { arm } })
    t.match(events.at(-1)!.detail, / is being applied in the background/, 'nobody waits for it')
    await engine.runJobs()
    return (await call('test', { params: { id: test } })).events.at(-1)!.detail
  }
  // The last product is in the last page.
  const last = String(1_000_000 + moreProducts - 1)
  shop.parts.refuse = item => (item === last ? 'This product is locked.' : null)
  t.match(
    await apply('variant'),
    /^Variant not applied\. (Template of product .+: )?This product is locked\. What was done before was put back\.$/,
  )
  shop.parts.refuse = null
  t.equal(await using(''), all)
  t.equal(await apply('variant'), 'Variant applied')
  t.equal(await using(variant!.suffix!), all)
  t.equal(await apply('control'), 'Control applied')
  t.equal(await using(''), all)
  t.ok(written.length >= 3 && written.every(size => size <= maxPlaces.assignment))
  t.ok(
    read.every(size => size <= 250),
    'no call reads the whole shop',
  )
})

t.test('a launched test is stored with the folder of so many pages', async t => {
  const { id } = await call('createDraft', {
    body: { kind: 'Template', title: 'Many' },
  })
  await call('setControl', { params: { id }, body: { type: 'product', suffix: '' } })
  await call('setVariant', { params: { id }, body: { suffix: 'story' } })
  read.length = 0
  t.match((await call('draftChecks', { params: { id } })).checks, Array)
  const checked = read.reduce((sum, size) => sum + size, 0)
  t.ok(checked > 1_000 && checked < 1_400, `${checked} products read by the check list`)
  const { testId } = await call('launchDraft', { params: { id } })
  const { pages, previewUrls } = await call('test', { params: { id: testId } })
  t.ok(pages.length < 20, `${pages.length} pages`)
  t.equal(pages.at(-1), '/products/*')
  t.match(new URL(previewUrls[1]).pathname, /^\/products\/[\w-]+$/, 'a page to preview')
})
