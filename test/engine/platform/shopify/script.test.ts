import t from 'tap'
import { embedKeys, embedNamespace, publishedIn } from '../../../../domain/script/embed-fields.ts'
import type { ScriptConfig, ScriptTest } from '../../../../domain/script/script-config.ts'
import {
  refusalOf,
  shopifyShop as shop,
  shopifyStage,
  statusOf,
} from '../../support/shops/shopify-stage.ts'

const { platform, face } = await shopifyStage(t, { settings: { themeWrites: true } })
const installation = 'gid://shopify/AppInstallation/9101'
const keysHeld = () =>
  face.metafields
    .of(installation)
    .filter(({ namespace }) => namespace === embedNamespace)
    .map(({ key }) => key)
    .sort()
const valuesHeld = () =>
  embedKeys.flatMap(key => {
    const found = face.metafields.find({ owner: installation, namespace: embedNamespace, key })
    return found ? [found.value] : []
  })

const test = (id: string, size = 10): ScriptTest => ({
  id,
  weights: [0.5, 0.5],
  pages: ['/'],
  changes: [{ selector: 'h1', kind: 'text', value: 'x'.repeat(size), name: '' }],
})
const config = (...tests: ScriptTest[]): ScriptConfig => ({
  shop,
  collect: 'https://app.example/collect',
  preview: 'https://app.example/preview/',
  tests,
})
const publish = (one: ScriptConfig, etag: string) =>
  platform.publishScript(shop, Buffer.from('unused'), { config: one, etag })
const finding = (etag: string) => platform.scriptFinding(shop, { url: '', etag })

t.test(
  'the configuration is written into fields, and the shop is asked whether it has them',
  async t => {
    t.equal(await finding('one'), 'missing')
    await publish(config(test('a')), 'one')
    t.same(keysHeld(), ['config', 'etag'])
    t.match(publishedIn(valuesHeld()), { shop, tests: [{ id: 'a' }] })
    t.equal(await finding('one'), 'answers')
    t.equal(await finding('two'), 'differs')
    face.faults.set([{ kind: '402', on: 'api', times: null }])
    t.equal(await finding('one'), 'unreachable')
    face.faults.set([])
  },
)

t.test('a large configuration is split over several fields, which go again', async t => {
  await publish(config(test('a', 150_000), test('b', 150_000)), 'large')
  t.same(keysHeld(), ['config', 'config_2', 'config_3', 'etag'])
  t.same(
    publishedIn(valuesHeld()).tests.map(({ id }) => id),
    ['a', 'b'],
  )
  await publish(config(test('a')), 'small')
  t.same(keysHeld(), ['config', 'etag'])
})

t.test('one that is too large is refused with the way out, and the old one stays', async t => {
  const before = valuesHeld()
  const error = await refusalOf(publish(config(test('a', 600_000)), 'huge'))
  t.equal(error?.status, 422)
  t.match(error?.message, /Your running tests need .* kB .* End a test/)
  t.same(valuesHeld(), before)
  t.equal(await finding('small'), 'answers')
})

t.test('a publication that the shop cuts off leaves the old one whole', async t => {
  const before = valuesHeld()
  face.faults.set([{ kind: '423', on: 'api', times: null, holding: 'metafieldsSet' }])
  t.match(await refusalOf(publish(config(test('b', 150_000)), 'new')), { message: /locked/ })
  face.faults.set([])
  t.same(valuesHeld(), before)
})

t.test('the switch is on when the theme’s settings have our block, and not disabled', async t => {
  const state = async (theme?: string) => (await platform.scriptState(shop, theme)).state
  t.match(await platform.scriptState(shop), {
    state: 'off',
    switchAt: /\/themes\/160001\/editor\?context=apps&activateAppId=twinshelf-test%2Ftwinshelf$/,
  })
  const [settings] = await platform.themeFiles(shop, '160001', ['config/settings_data.json'])
  const set = async (block: object) => {
    const { current, ...rest } = JSON.parse(settings!.body) as { current: object }
    await platform.writeThemeFiles(shop, '160001', [
      {
        name: settings!.name,
        body: JSON.stringify({ ...rest, current: { ...current, blocks: { 1: block } } }),
      },
    ])
  }
  const type = 'shopify://apps/twinshelf/blocks/twinshelf/3f0d'
  const written = await statusOf(set({ type, disabled: false, settings: {} }))
  t.equal(written, null)
  t.equal(await state(), 'on')
  t.equal(await state('160002'), 'off', 'each theme has its own switch')
  await set({ type, disabled: true })
  t.equal(await state(), 'off')
  await set({ type: 'shopify://apps/other/blocks/twinshelf/3f0d' })
  t.equal(await state(), 'off', 'the block of another app')
  await platform.writeThemeFiles(shop, '160001', [settings!])
})

t.test('a removal leaves none of our fields', async t => {
  await publish(config(test('a', 150_000)), 'one')
  face.metafields.set([
    { owner: installation, namespace: 'other', key: 'kept', type: 'json', value: '1' },
  ])
  await platform.removeScript(shop)
  t.same(keysHeld(), [])
  t.equal(face.metafields.of(installation).length, 1, 'what is not ours stays')
  await platform.removeScript(shop)
})

t.test('the platform describes its privacy API', async t => {
  t.match(await platform.pageApis(shop), {
    privacy: {
      allowed: 'Shopify.customerPrivacy.analyticsProcessingAllowed',
      event: 'visitorConsentCollected',
      stored: { cookie: '_tracking_consent' },
    },
  })
  t.same(await platform.nativeExperiments(shop), [], 'rollouts are off')
})
