import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildDemoShop } from '../demo-shop/app.ts'
import { installationId } from '../demo-shop/shopify/app/app-answers.ts'
import { embedFields, embedNamespace } from '../domain/script/embed-fields.ts'
import { threeTests } from './build/storefront-samples.ts'
import { findChromium } from './chromium.ts'

/**
 * `npm run lighthouse`: Lighthouse's performance score of the demo shop's pages, with and without
 * the app embed and three usual tests, in both themes. It needs the network: npx fetches
 * Lighthouse, which is no dependency because nothing else needs it. Run `npm run build` first.
 */
const lighthouse = 'lighthouse@13.5.0'
/** How much each page counts when Shopify judges an app. */
const pages = [
  { path: '/', weight: 0.17 },
  { path: '/products/ash-glaze-mug', weight: 0.4 },
  { path: '/collections/all', weight: 0.43 },
]
const themes = ['160001', '160002']
const runs = Number(process.argv[2] ?? 3)
const port = 3210,
  origin = `http://localhost:${port}`

process.chdir(new URL('..', import.meta.url).pathname)
const dataDir = mkdtempSync(join(tmpdir(), 'lighthouse-'))
const shop = await buildDemoShop({
  origin,
  appOrigin: 'http://127.0.0.1:9',
  engineOrigin: 'http://127.0.0.1:9',
  dataDir,
  appKey: 'other',
  appSecret: 'a-secret-of-this-measurement',
  hasDemoApp: false,
  shopify: {
    keys: { apiKey: 'key', apiSecret: 'a-secret-of-the-platform' },
    appHandle: 'twinshelf',
  },
})
const { fields = [] } = embedFields(threeTests)
shop.shopify!.metafields.set(
  fields.map(({ key, value }) => ({
    owner: installationId,
    namespace: embedNamespace,
    key,
    type: 'json',
    value,
  })),
)
await shop.app.listen({ port, host: 'localhost' })

const run = promisify(execFile)
async function scoreOf(url: string): Promise<number> {
  const flags = '--headless=new --no-sandbox'
  const { stdout } = await run(
    'npx',
    [
      '--yes',
      lighthouse,
      url,
      '--only-categories=performance',
      '--output=json',
      '--quiet',
      `--chrome-flags=${flags}`,
    ],
    { env: { ...process.env, CHROME_PATH: findChromium() ?? '' }, maxBuffer: 64 * 1024 * 1024 },
  )
  const report = JSON.parse(stdout) as { categories: { performance: { score: number } } }
  return report.categories.performance.score * 100
}
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

try {
  for (const theme of themes) {
    const sums = { without: 0, with: 0 }
    for (const { path, weight } of pages) {
      const scores = { without: [] as number[], with: [] as number[] }
      for (let i = 0; i < runs; i++)
        // Alternately, so that whatever else the machine does meets both alike.
        for (const way of ['without', 'with'] as const) {
          await shop.web!.switches.set(theme, 'twinshelf', way === 'with')
          scores[way].push(await scoreOf(`${origin}${path}?preview_theme_id=${theme}`))
        }
      console.log(theme, path, JSON.stringify(scores))
      sums.without += weight * median(scores.without)
      sums.with += weight * median(scores.with)
    }
    console.log(
      `theme ${theme}: ${sums.without.toFixed(1)} without the embed, ${sums.with.toFixed(1)} with it`,
    )
  }
} finally {
  await shop.close()
  rmSync(dataDir, { recursive: true, force: true })
}
