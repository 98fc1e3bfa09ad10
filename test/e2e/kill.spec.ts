import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, test } from '@playwright/test'
import {
  addTextChange,
  createDraft,
  goTo,
  launch,
  openApp,
  readReport,
  type ReportFigures,
} from './merchant.ts'
import { startProduct, type Product } from './product.ts'
import { slowness } from '../slowness.ts'

/** The number of shoppers. `npm run soak` sends more. */
const visitors = Number(process.env['SHOPPERS'] ?? 600)
let product: Product
test.beforeAll(async () => {
  product = await startProduct({ CHROMIUM_PATH: 'off' })
})
test.afterAll(async () => {
  await product.stop()
})

test('after two kills while shoppers come, every acknowledged event and order is counted exactly once', async ({
  page,
}) => {
  test.setTimeout(420_000 * slowness)
  const app = await openApp(page, product)
  await createDraft(app, 'page element', 'Shoppers under fire')
  await goTo(app, 'Pages')
  await app.getByLabel('Pages to test').fill('*')
  await addTextChange(app, 'h1', 'Hello')
  const testId = await launch(page, app)

  const shoppers = spawn(
    process.execPath,
    ['scripts/shoppers.ts', '--visitors', String(visitors), '--lift', '0.15', '--seed', 'kill'],
    { env: product.env, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exited = new Promise<number | null>(resolve => shoppers.once('exit', resolve))
  const lines: string[] = [],
    killAt = [visitors / 5, (visitors * 3) / 5]
  for await (const line of createInterface({ input: shoppers.stdout })) {
    lines.push(line)
    const done = Number(/^(\d+) of /.exec(line)?.[1])
    if (killAt[0] !== undefined && done >= killAt[0]) {
      killAt.shift()
      await product.kill()
      await product.restart()
    }
  }
  expect(await exited).toBe(0)
  const summary = lines.join('\n')
  expect(summary, 'some events were sent again because of the kill').toMatch(/sent again [1-9]/)
  const deeds = ['control', 'variant'].map(arm =>
    figuresOf(lines.find(line => line.startsWith(arm))!),
  )
  expect(Math.min(...deeds.map(arm => arm.orders))).toBeGreaterThan(visitors / 150)
  await expect
    .poll(() => readReport(page, product, testId), { timeout: 120_000 * slowness })
    .toEqual(deeds)
})

test('on SIGTERM the process ends in time with any open connections, and closes its database', async () => {
  const sockets = [product.app, product.engine, product.shop].flatMap(origin =>
    [
      'GET / HTTP/1.1\r\nhost: x\r\n',
      'POST /collect HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 1000\r\n\r\n{',
      'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n',
      // Many responses that the client does not read.
      'GET /help HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(50),
    ].map(text => {
      const socket = connect(Number(new URL(origin).port), 'localhost')
      socket
        .on('error', () => {})
        .pause()
        .write(text)
      return socket
    }),
  )
  await Promise.all(sockets.map(socket => socket.connecting && once(socket, 'connect')))
  // The process ends with another code when closing takes more than 20 seconds.
  expect(await product.stop(), product.output()).toBe(0)
  sockets.forEach(socket => socket.destroy())
})

/** A row of the shoppers' own summary. */
function figuresOf(row: string): ReportFigures {
  const [visitors, clickers, adders, buyers, orders, revenue] = row
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(cell => Number(cell.replace(/[$,]/g, '')))
  return {
    visitors: visitors!,
    clickers: clickers!,
    adders: adders!,
    buyers: buyers!,
    orders: orders!,
    revenue: Math.round(revenue! * 100),
  }
}
