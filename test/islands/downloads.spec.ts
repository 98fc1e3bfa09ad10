import { readFileSync } from 'node:fs'
import { expect, test, type Page } from '@playwright/test'
import { strToU8, zipSync } from 'fflate'
import { complaints, serveIslands, type IslandPages } from './island-page.ts'

let pages: IslandPages
test.beforeAll(async () => {
  pages = await serveIslands()
})
test.afterAll(() => pages.close())

/**
 * Responses that replace fetch in the page, written piece by piece by the test. A real response of
 * this size arrives in one piece.
 */
type Answers = {
  asked: number
  push: (bytes: readonly number[]) => void
  close: () => void
  fail: () => void
  refuse: number
}

/**
 * Opens a page with the island and a link to a file. The clock is paused: time advances only when
 * the test says so.
 */
async function open(
  page: Page,
  kind: 'orders' | 'all' | 'results',
  name: string,
  orders = 4,
): Promise<string[]> {
  const found = complaints(page)
  await page.clock.install({ time: '2026-11-21T12:00:00Z' })
  await pages.open(page, 'downloads', { orders })
  await expect(page.locator('[data-island=downloads][data-alive]')).toBeAttached()
  await page.clock.pauseAt('2026-11-21T12:01:00Z')
  await page.evaluate(
    ([kind, name]) => {
      const menu = document.createElement('details')
      menu.open = true
      menu.innerHTML = `<summary>More</summary><a href="/files/${kind}" download data-download="${kind}">Download</a>`
      document.querySelector('main')!.append(menu)
      document.addEventListener('toast', event => {
        document.title = (event as CustomEvent<{ text: string }>).detail.text
      })
      const answers: Answers = {
        asked: 0,
        refuse: 0,
        push: () => {},
        close: () => {},
        fail: () => {},
      }
      Object.assign(globalThis, { answers })
      globalThis.fetch = async (_, init) => {
        answers.asked++
        if (answers.refuse) return new Response('<!doctype html>', { status: answers.refuse })
        const body = new ReadableStream<Uint8Array>({
          start: controller => {
            answers.push = bytes => controller.enqueue(new Uint8Array(bytes))
            answers.close = () => controller.close()
            answers.fail = () => controller.error(new TypeError('network error'))
            init!.signal!.addEventListener('abort', () => controller.error(init!.signal!.reason))
          },
        })
        return new Response(body, {
          headers: {
            'content-type': 'text/csv',
            'content-disposition': `attachment; filename="${name}"`,
          },
        })
      }
    },
    [kind, name] as const,
  )
  return found
}
const answer = (
  page: Page,
  what: 'push' | 'close' | 'fail',
  bytes: Uint8Array = new Uint8Array(),
) =>
  page.evaluate(
    ([what, bytes]) => {
      ;(globalThis as unknown as { answers: Answers }).answers[what](bytes)
    },
    [what, [...bytes]] as const,
  )
const asked = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { answers: Answers }).answers.asked)
const bar = (page: Page, name: string) => page.getByRole('region', { name: `Download: ${name}` })
/**
 * Advances the clock in steps until the bar shows the words: the browser reads the received pieces
 * in its own time.
 */
const says = (page: Page, name: string, words: string | RegExp) =>
  expect(async () => {
    await page.clock.runFor(200)
    await expect(bar(page, name)).toContainText(words, { timeout: 200 })
  }).toPass()
const start = (page: Page) => page.getByRole('link', { name: 'Download' }).click()

test('a long download shows its progress in rows, and is saved complete under the server’s file name', async ({
  page,
}) => {
  const found = await open(page, 'orders', 'twinshelf-orders.csv')
  await start(page)
  await expect(page.locator('details')).not.toHaveAttribute('open')
  await page.clock.runFor(1_900)
  await expect(bar(page, 'Orders')).toHaveCount(0)
  await page.clock.runFor(200)
  await expect(bar(page, 'Orders')).toContainText('Orders: waiting for the first rows')
  await expect(bar(page, 'Orders').getByRole('progressbar')).not.toHaveAttribute('value')
  const csv = [
    '\uFEFFOrder,Products\r\n',
    '#1,Jug\r\n#2,"A ""two',
    '\r\nline"" title"\r\n',
    '#3,Bowl\r\n',
    '#4,Ship\r\n#5,Came in meanwhile\r\n',
  ]
  await answer(page, 'push', strToU8(csv[0]! + csv[1]!))
  await says(page, 'Orders', 'Orders: 1 of 4')
  await answer(page, 'push', strToU8(csv[2]!))
  // A line break within quotes does not end a row.
  await says(page, 'Orders', 'Orders: 2 of 4')
  await expect(
    bar(page, 'Orders').getByRole('progressbar', { name: 'Orders, being downloaded' }),
  ).toHaveJSProperty('value', 50)
  await page.evaluate(() => {
    document.querySelector('details')!.open = true
  })
  await start(page)
  expect(await asked(page), 'a second click does not start a second download').toBe(1)
  await answer(page, 'push', strToU8(csv[3]! + csv[4]!))
  await says(page, 'Orders', 'Orders: 5 of 5')
  const [saved] = await Promise.all([page.waitForEvent('download'), answer(page, 'close')])
  expect(saved.suggestedFilename()).toBe('twinshelf-orders.csv')
  expect(readFileSync(await saved.path(), 'utf8')).toBe(csv.join(''))
  await expect(bar(page, 'Orders')).toHaveCount(0)
  await expect(page).toHaveTitle('Orders: downloaded')
  expect(found).toEqual([])
})

test('an archive shows which of its files is being downloaded, and how many orders of it', async ({
  page,
}) => {
  const found = await open(page, 'all', 'twinshelf-export.zip', 4_000)
  const rows = Array.from(
    { length: 4_000 },
    (_, i) => `#${i},${(i * 2654435761) % 4294967296},"${i % 7 ? 'Jug' : 'two\nlines'}"\r\n`,
  )
  const zip = zipSync({
    'results.csv': strToU8('Goal\r\nConversion rate\r\n'),
    'orders.csv': strToU8(`Order,Amount\r\n${rows.join('')}`),
    'about.txt': strToU8('Kept for later.'),
  })
  await start(page)
  // Small pieces, so that a header is split between two of them.
  for (let from = 0; from < 120; from += 20)
    await answer(page, 'push', zip.subarray(from, from + 20))
  await page.clock.runFor(2_000)
  await says(page, 'Zip of all', /Zip of all: (results\.csv \(1 kB\)|orders\.csv, 0 of 4,000)/)
  const half = Math.round(zip.length / 2)
  await answer(page, 'push', zip.subarray(120, half))
  await says(page, 'Zip of all', /orders\.csv, (1|2),\d{3} of 4,000 orders \(\d+ kB\)/)
  await answer(page, 'push', zip.subarray(half))
  await expect(async () => {
    await page.clock.runFor(200)
    await expect(bar(page, 'Zip of all')).toContainText('about.txt', { timeout: 200 })
    await expect(bar(page, 'Zip of all').getByRole('progressbar')).toHaveJSProperty('value', 100, {
      timeout: 200,
    })
  }).toPass()
  const [saved] = await Promise.all([page.waitForEvent('download'), answer(page, 'close')])
  expect(Buffer.compare(readFileSync(await saved.path()), Buffer.from(zip))).toBe(0)
  expect(found).toEqual([])
})

test('a cancelled, failed or refused download saves nothing and can be tried again', async ({
  page,
}) => {
  await open(page, 'results', 'twinshelf-results.csv')
  let saved = 0
  page.on('download', () => {
    saved++
  })
  await start(page)
  await answer(page, 'push', strToU8('Goal\r\n'))
  await page.clock.runFor(2_000)
  await says(page, 'Results', 'Results: 1 kB')
  await bar(page, 'Results').getByRole('button', { name: 'Cancel' }).click()
  await expect(bar(page, 'Results')).toHaveCount(0)
  await expect(page.getByText('More'), 'the focus returns to the menu').toBeFocused()

  await page.evaluate(() => {
    document.querySelector('details')!.open = true
  })
  await start(page)
  await answer(page, 'push', strToU8('Goal\r\n'))
  await answer(page, 'fail')
  await expect(bar(page, 'Results').getByRole('alert')).toHaveText(
    'Results: not downloaded. The connection was lost, and nothing was saved.',
  )
  await page.evaluate(() => {
    ;(globalThis as unknown as { answers: Answers }).answers.refuse = 502
  })
  await bar(page, 'Results').getByRole('button', { name: 'Try again' }).click()
  await expect(bar(page, 'Results').getByRole('alert')).toContainText(
    'Twinshelf could not make the file. Try again in a moment.',
  )
  expect([await asked(page), saved]).toEqual([3, 0])
  await page.evaluate(() => {
    ;(globalThis as unknown as { answers: Answers }).answers.refuse = 0
  })
  await bar(page, 'Results').getByRole('button', { name: 'Try again' }).click()
  await expect(bar(page, 'Results')).toHaveCount(0)
  await answer(page, 'push', strToU8('Goal\r\n'))
  const [file] = await Promise.all([page.waitForEvent('download'), answer(page, 'close')])
  expect(file.suggestedFilename()).toBe('twinshelf-results.csv')
})
