import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { assign } from '../../domain/tests/assignment.ts'
import type { Beacon } from '../../domain/events/event.ts'
import { shop } from '../../demo-shop/shop.ts'
import { startProduct, type Product } from '../e2e/product.ts'

/** The ended test that the product begins with. */
export const past = 'Spring banner'

/**
 * Starts the product with one past test, imported from a file: without figures a report has no
 * charts.
 */
export async function startWithPast(): Promise<Product> {
  const product = await startProduct({ CHROMIUM_PATH: 'off' })
  await install(product)
  // The import needs the database for itself.
  await product.kill()
  const file = join(product.dataDir, 'past.csv')
  writeFileSync(file, pastTest())
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['scripts/import.ts', file, '--title', past],
    { env: product.env, encoding: 'utf8' },
  )
  expect(status, stdout + stderr).toBe(0)
  await product.restart()
  return product
}

/**
 * Installs the app: loads the frame that the shop's admin shows when a merchant first opens the
 * app.
 */
async function install({ shop }: Product): Promise<void> {
  const admin = await (await fetch(`${shop}/admin/apps/twinshelf`)).text()
  const { status } = await fetch(
    /<iframe[^>]* src="([^"]+)"/.exec(admin)![1]!.replaceAll('&amp;', '&'),
    { redirect: 'manual' },
  )
  expect(status).toBeLessThan(400)
}

/**
 * A CSV file: ten days of sixty visitors. In control 2 of 9 visitors buy, in the variant 2 of 6.
 */
function pastTest(): string {
  const rows = Array.from({ length: 600 }, (_, i) => {
    const arm = i % 2 ? 'variant' : 'control',
      at = (hour: string) => `2026-05-1${i % 10}T${hour}:05:00Z`
    const seen = `v${i},${arm},${at('10')},exposure,`
    return i % (arm === 'variant' ? 6 : 9) < 2
      ? `${seen}\nv${i},${arm},${at('11')},purchase,24.90`
      : seen
  })
  return ['visitor,arm,time,event,value', ...rows].join('\n')
}

const agent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
/** Sends the exposures of `count` new visitors to the collector, as their browsers would. */
export async function sendVisitors(product: Product, testId: string, count: number): Promise<void> {
  const at = Date.now()
  for (let i = 0; i < count; i++) {
    const visitor = `visitor-${at}-${i}`
    const beacon: Beacon = {
      v: 1,
      shop: shop.shop,
      visitor,
      session: `session-${visitor}`,
      sent: at + 1,
      isNew: true,
      landing: '/products/moon-vase',
      referrer: '',
      tests: { [testId]: [assign(testId, visitor, [0.5, 0.5]), 7] },
      events: [
        {
          id: `exposure-${visitor}`,
          at,
          kind: 'exposure',
          path: '/products/moon-vase',
          tests: [testId],
        },
      ],
    }
    const { status } = await fetch(`${product.engine}/collect`, {
      method: 'POST',
      body: JSON.stringify(beacon),
      headers: {
        origin: product.shop,
        'content-type': 'text/plain;charset=UTF-8',
        'user-agent': agent,
      },
    })
    expect(status).toBe(204)
  }
}
