import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildDemoShop } from '../demo-shop/app.ts'
import { installationId } from '../demo-shop/shopify/app/app-answers.ts'
import { embedFields, embedNamespace } from '../domain/script/embed-fields.ts'
import { threeTests } from '../scripts/build/storefront-samples.ts'
import { findChromium } from '../scripts/chromium.ts'
import type { BenchRow } from './row.ts'

/** No dependency, because nothing else needs it: npx fetches it, so the network is needed. */
const lighthouse = 'lighthouse@13.5.0'
const themes = { '160001': 'Kiln', '160002': 'Harbour' }
const port = 3210,
  origin = `http://localhost:${port}`
export type Audit = { score: number; blocking: number; mainThread: number; cls: number }
export type Ways = Record<'without' | 'with', Audit[]>
const run = promisify(execFile)

/**
 * Lets Lighthouse open these pages of the demo shop in both themes, with and without the app embed
 * and three usual tests, and passes the audits of each page to `see`. Run `npm run build` first.
 */
export async function auditPages(
  paths: readonly string[],
  runs: number,
  see: (theme: string, path: string, ways: Ways) => void,
): Promise<void> {
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
  try {
    for (const [theme, name] of Object.entries(themes))
      for (const path of paths) {
        const ways: Ways = { without: [], with: [] }
        for (let i = 0; i < runs; i++)
          // Alternately, so that whatever else the machine does meets both alike.
          for (const way of ['without', 'with'] as const) {
            await shop.web!.switches.set(theme, 'twinshelf', way === 'with')
            ways[way].push(await audited(`${origin}${path}?preview_theme_id=${theme}`))
          }
        see(name, path, ways)
      }
  } finally {
    await shop.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function audited(url: string): Promise<Audit> {
  const { stdout } = await run(
    'npx',
    [
      '--yes',
      lighthouse,
      url,
      '--only-categories=performance',
      '--output=json',
      '--quiet',
      '--chrome-flags=--headless=new --no-sandbox',
    ],
    { env: { ...process.env, CHROME_PATH: findChromium() ?? '' }, maxBuffer: 64 * 1024 * 1024 },
  )
  const { categories, audits } = JSON.parse(stdout) as {
    categories: { performance: { score: number } }
    audits: Record<string, { numericValue: number }>
  }
  const valueOf = (audit: string): number => audits[audit]!.numericValue
  return {
    score: categories.performance.score * 100,
    blocking: valueOf('total-blocking-time'),
    mainThread: valueOf('mainthread-work-breakdown'),
    cls: valueOf('cumulative-layout-shift'),
  }
}

export const medianOf = (audits: Audit[], name: keyof Audit): number =>
  audits.map(audit => audit[name]).toSorted((a, b) => a - b)[audits.length >> 1]!

/** Lighthouse on a product page with three tests, with and without the script, in both themes. */
export async function lighthouseBench(): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  await auditPages(['/products/ash-glaze-mug'], 3, (theme, _, ways) => {
    const figures = [
      ['score', 'performance score', 'points', 'at most 1 point less'],
      ['mainThread', 'main-thread time', 'ms', undefined],
      ['blocking', 'blocking time', 'ms', undefined],
      ['cls', 'layout shift (CLS)', '', undefined],
    ] as const
    for (const [name, title, unit, target] of figures)
      for (const way of ['without', 'with'] as const)
        rows.push({
          name: `Lighthouse, product page, ${theme}, ${way} three tests: ${title}`,
          value: medianOf(ways[way], name),
          unit,
          // A page that never shifts has no ratio.
          ...(way === 'with' &&
            medianOf(ways.without, name) > 0 && {
              ratio: medianOf(ways.with, name) / medianOf(ways.without, name),
              against: 'without',
              ...(target && { target }),
            }),
        })
  })
  return rows
}
