import { readFileSync } from 'node:fs'
import { Liquid } from 'liquidjs'
import t from 'tap'
import { embedFields, embedNamespace } from '../../domain/script/embed-fields.ts'
import { shopifyPageApis } from '../../engine/platform/shopify/script/shopify-page-apis.ts'
import { switchChoices } from '../../domain/script/needed-parts.ts'
import type { ScriptConfig, ScriptTest } from '../../domain/script/script-config.ts'
import { embedFiles, sizesOf } from '../../scripts/build/build-embed.ts'
import { bundleStorefront } from '../../scripts/build/build-storefront.ts'
import { addresses, sampleTests, threeTests } from '../../scripts/build/storefront-samples.ts'

/** The app embed as its Liquid draws it, and the files that it loads. */
const block = readFileSync(
  new URL('../../shopify/extensions/twinshelf-embed/blocks/twinshelf.liquid', import.meta.url),
  'utf8',
).replace(/\{% schema %\}[^]*/, '')
const files = await embedFiles((await bundleStorefront()).pieces)
const liquid = new Liquid({ strictFilters: true })
liquid.registerFilter('asset_url', (name: string) => {
  if (!(name in files)) throw new Error(`there is no file ${name}`)
  return `/assets/${name}`
})

const named = (name: string): ScriptTest => sampleTests.find(one => one.name === name)!.test
const markets = { 7: [100, 95] as [number, number], 8: 0 as const }

function draw(config: Partial<ScriptConfig>, about: object = {}): string {
  const { fields = [] } = embedFields({ ...addresses, tests: [], ...config }, { markets })
  const values = fields.map(({ key, value }) => [key, { value: JSON.parse(value) as unknown }])
  return liquid.parseAndRenderSync(block, {
    app: { metafields: { [embedNamespace]: Object.fromEntries(values) } },
    theme: { id: 42 },
    template: 'product.story',
    request: { page_type: 'product' },
    product: { id: 101 },
    collection: { id: 9 },
    localization: { country: { iso_code: 'DE' }, market: { id: 7 } },
    shop: { currency: 'USD' },
    cart: { currency: { iso_code: 'EUR' } },
    ...about,
  }) as string
}
const loads = (html: string) =>
  [...html.matchAll(/\/assets\/([\w-]+)\.js/g)].map(([, name]) => name)
const drawn = (...tests: ScriptTest[]) => loads(draw({ tests }))

t.test('a page loads the files that the shop’s tests need', async t => {
  t.same(loads(draw(threeTests)), ['usual'])
  t.same(drawn(named('price')), ['prices', 'core'])
  t.same(drawn(named('price'), named('page element')), ['prices', 'usual'])
  t.same(drawn(named('theme')), ['most'])
  const byChannel: ScriptTest = {
    ...named('page element'),
    audiences: [{ 0: { operator: 'Equals', value: 'Email' } }],
  }
  t.same(drawn(byChannel), ['channel', 'most'])
  t.same(drawn(byChannel, named('price')), ['all'])
  t.same(loads(draw({ tests: [named('theme')], debug: true })), ['log', 'most'])
  for (const on of switchChoices) {
    const switches = Object.fromEntries(on.map(name => [name, true]))
    t.same(loads(draw({ ...threeTests, ...switches })), [['usual', ...on].join('-')])
  }
})

t.test('a page without our fields, or with a newer form of them, gets nothing', async t => {
  t.equal(draw({}, { app: { metafields: {} } }).trim(), '')
  t.equal(
    draw({}, { app: { metafields: { twinshelf: { config: { value: { v: 2 } } } } } }).trim(),
    '',
  )
})

t.test('the configuration in the page is JSON that cannot end its element', async t => {
  const html = draw({
    tests: [
      {
        ...named('page element'),
        changes: [{ selector: 'h1', kind: 'html', value: '</script><b>{{ 1 }}', name: '' }],
      },
    ],
  })
  const [, json = ''] =
    /<script type="application\/json" id="twinshelf-tests">([^]*?)<\/script>/.exec(html)!
  const { tests } = JSON.parse(json) as { tests: { changes: string[][] }[] }
  t.equal(tests[0]!.changes[0]![2], '</script><b>{{ 1 }}')
})

t.test('the tag says what the page is about', async t => {
  const tag = (html: string) => /<script\s+src="[^"]+"([^>]*)><\/script>\s*$/.exec(html.trim())![1]!
  const words = (text: string) => text.trim().replace(/\s+/g, ' ')
  t.equal(
    words(tag(draw(threeTests))),
    'data-theme="42" data-template="product.story" data-resource="101" data-country="DE"',
  )
  t.match(
    words(tag(draw({ tests: [named('price')] }))),
    'data-own="USD" data-currency="EUR" data-step="100" data-ending="95"',
  )
  const inMarket = (id: number) =>
    words(
      tag(
        draw(
          { tests: [named('price')] },
          { localization: { country: { iso_code: 'DE' }, market: { id } } },
        ),
      ),
    )
  t.match(inMarket(8), 'data-rate="0"')
  t.notMatch(inMarket(9), /data-(rate|step)/)
  for (const [page_type, about] of [
    ['collection', 'data-resource="9"'],
    ['index', 'data-resource=""'],
  ] as const)
    t.match(draw(threeTests, { request: { page_type } }), about)
})

t.test('shoppers load less than 10 kB for everything, and half for the usual tests', async t => {
  const sizes = (...names: string[]) => sizesOf(names.map(name => files[`${name}.js`]!))
  t.ok(sizes('usual').brotli < 5_000, `${sizes('usual').brotli} bytes`)
  for (const names of [['all'], ['most', 'prices'], ['most', 'channel'], ['core', 'prices']]) {
    const { gzip, brotli } = sizes(...names)
    t.ok(gzip < 10_000 && brotli < 10_000, `${names.join()}: ${gzip} bytes gzip, ${brotli} brotli`)
  }
})

t.test('the largest file gets the measuring of page speed after the paint', async t => {
  const apis = (html: string) => /data-apis="\/assets\/([\w-]+)\.js"/.exec(html)?.[1]
  const pageApis = { privacy: shopifyPageApis.privacy!, part: '' }
  const byChannel: ScriptTest = {
    ...named('page element'),
    audiences: [{ 0: { operator: 'Equals', value: 'Email' } }],
  }
  t.equal(apis(draw({ ...threeTests, pageApis })), 'page-apis')
  t.equal(apis(draw({ tests: [byChannel, named('price')], pageApis })), 'page-apis-speed')
  for (const name of ['core', 'usual', 'most', 'page-apis-speed'])
    t.match(files[`${name}.js`], 'PerformanceObserver', name)
  t.notMatch(files['all.js'], 'PerformanceObserver')
})

t.test('each file is a script by itself', async t => {
  for (const [name, text] of Object.entries(files)) {
    t.doesNotThrow(() => new Function(text), name)
    t.notMatch(text, '__TWINSHELF', name)
  }
})
