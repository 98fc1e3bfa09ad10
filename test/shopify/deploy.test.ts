import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { shopifyTopics } from '../../engine/platform/shopify/webhooks/shopify-topics.ts'
import { appConfig, appConfigProblems } from '../../scripts/shopify/app-config.ts'
import {
  documentProblems,
  extensionProblems,
  liquidProblems,
  schemaIn,
} from '../../scripts/shopify/extension-problems.ts'
import { built, shopifyProblems } from '../../scripts/shopify/problems.ts'

/** What we deploy to Shopify, checked without network (`npm run shopify:check`). */
const version = '2026-10'
const about = {
  clientId: 'a1b2',
  handle: 'twinshelf',
  origin: 'https://app.example',
  writesThemes: false,
  readsRollouts: false,
}
const folderWith = (t: Tap, change: (folder: string) => void): URL => {
  const folder = mkdtempSync(join(tmpdir(), 'extension-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  cpSync(new URL(`../../${built}`, import.meta.url), folder, { recursive: true })
  change(folder)
  return pathToFileURL(`${folder}/`)
}
type Tap = { teardown: (act: () => void) => void }

t.test('nothing is wrong with what we deploy', async t => {
  t.same(await shopifyProblems(), [])
})

t.test('the configuration asks for the adapter’s scopes and topics', async t => {
  const usual = appConfig(about)
  t.same(appConfigProblems(usual, version), [])
  t.match(usual, 'client_id = "a1b2"')
  t.notMatch(usual, /write_themes|read_rollouts|CLIENT_ID|SCOPES|APP_HANDLE/)
  t.match(
    appConfig({ ...about, writesThemes: true, readsRollouts: true }),
    /write_themes,read_rollouts/,
  )
  for (const topic of Object.keys(shopifyTopics)) t.match(usual, `"${topic}"`)
  const faults: [RegExp | string, string, RegExp][] = [
    ['write_products,', '', /scopes that are not asked for: \["write_products"\]/],
    ['read_markets', 'read_customers', /unknown scopes: \["read_customers"\]/],
    ['"orders/create"', '"orders/paid"', /^topics: /],
    ['/webhooks/shopify/shop-redact', '/webhooks', /address of shop\/redact/],
    ['compliance_topics = ["shop/redact"]', 'topics = ["shop/redact"]', /compliance topics/],
    ['api_version = "2026-10"', 'api_version = "2026-07"', /version of webhooks/],
    ['embedded = true', 'embedded = false', /embedded/],
    ['https://app.example"', 'http://app.example"', /https address/],
  ]
  for (const [from, to, problem] of faults)
    t.match(appConfigProblems(usual.replace(from, to), version).join('\n'), problem, String(from))
})

t.test('Shopify’s own check of themes finds what is wrong with the embed', async t => {
  const changed = (from: string, to: string) =>
    folderWith(t, folder => {
      const file = join(folder, 'twinshelf-embed/blocks/twinshelf.liquid')
      const text = readFileSync(file, 'utf8')
      t.ok(text.includes(from))
      writeFileSync(file, text.replace(from, to))
    })
  const problemsOf = async (folder: URL) =>
    (await liquidProblems(new URL('twinshelf-embed/', folder))).join('\n')
  t.match(await problemsOf(changed("'prices.js'", "'nothing.js'")), /MissingAsset/)
  t.match(await problemsOf(changed('{%- endunless -%}', '')), /LiquidHTMLSyntaxError/)
})

t.test('documents and extensions are compared with schema and version', async t => {
  const schema = schemaIn(
    new URL(
      '../../demo-shop/shopify-web/schema/functions_discount_2026-10.json.gz',
      import.meta.url,
    ),
  )
  const folder = folderWith(t, at => {
    const file = join(at, 'twinshelf-discount/src/input.graphql')
    writeFileSync(file, readFileSync(file, 'utf8').replace('discountClasses', 'discountKinds'))
  })
  t.match(documentProblems(schema, new URL('twinshelf-discount/', folder)), [/discountKinds/])
  t.match(extensionProblems(folder, 'twinshelf-discount', '2027-01'), [/version 2026-10/])
  t.same(extensionProblems(folder, 'twinshelf-pixel', version), [])
})
