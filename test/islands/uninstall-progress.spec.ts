import { expect, test, type Page } from '@playwright/test'
import type { UninstallProgressProps } from '../../islands/stores/uninstall-progress.tsx'
import { complaints, serveIslands, type IslandPages } from './island-page.ts'

const id = 'job-1'
const props: UninstallProgressProps = {
  job: { id, status: 'queued', message: null, progress: 0 },
  progress: '/progress?job=job-1&shop=fern',
  done: '/done?store=fern',
  again: { action: '/again', fields: { category: 'bug', reason: 'It "broke"' } },
}
const updated = {
  id,
  status: 'updated',
  message: 'Putting the shop back as it was',
  progress: 0.4,
} as const
let pages: IslandPages
test.beforeAll(async () => {
  pages = await serveIslands()
})
test.afterAll(() => pages.close())

/** Pauses the clock: time advances only when the test says so. */
async function standStill(page: Page): Promise<void> {
  await page.clock.install({ time: '2026-11-21T12:00:00Z' })
  await page.clock.pauseAt('2026-11-21T12:00:10Z')
}
const tell = (page: Page, job: object) =>
  page.evaluate(detail => {
    document.dispatchEvent(new CustomEvent('live:job', { detail }))
  }, job)
/**
 * Answers the page's polling requests in turn, and all later ones with the last answer. Returns a
 * function that counts the requests.
 */
async function answers(
  page: Page,
  ...given: { status?: number; json?: object; headers?: Record<string, string> }[]
): Promise<() => number> {
  let asked = 0
  await page.route('**/progress?*', route => {
    expect(route.request().headers()['hx-request']).toBe('true')
    const answer = given[Math.min(asked++, given.length - 1)]
    return answer ? route.fulfill(answer) : route.abort()
  })
  return () => asked
}

test('news of this job is shown at once, other jobs are ignored, and its end leads to the next page', async ({
  page,
}) => {
  const found = complaints(page)
  await standStill(page)
  await pages.open(page, 'uninstall-progress', props)
  await expect(page.getByRole('status')).toHaveText('Waiting to begin')
  await expect(page.getByRole('progressbar', { name: 'Uninstalling, 0% done' })).toBeVisible()
  const asked = await answers(page, { json: updated })
  await tell(page, updated)
  await expect(page.getByRole('status')).toHaveText('Putting the shop back as it was')
  await expect(page.getByRole('progressbar')).toHaveJSProperty('value', 40)
  await tell(page, { ...updated, id: 'another', progress: 0.9 })
  for (const progress of [0.5, 0.6, 0.7]) {
    await page.clock.runFor(1_500)
    await tell(page, { ...updated, progress })
  }
  await expect(page.getByText('70%', { exact: true })).toBeVisible()
  expect(asked(), 'while news arrives, the page does not poll').toBe(0)
  expect(found).toEqual([])
  await tell(page, { ...updated, status: 'completed', progress: 1 })
  await page.waitForURL('**/done?store=fern')
})

test('without news the page polls until the end', async ({ page }) => {
  await standStill(page)
  await pages.open(page, 'uninstall-progress', props)
  const asked = await answers(
    page,
    { json: updated },
    { status: 502, json: {} },
    { json: { ...updated, progress: 0.8 } },
    { json: { ...updated, status: 'completed' } },
  )
  await page.clock.runFor(2_100)
  await expect(page.getByText('40%', { exact: true })).toBeVisible()
  await page.clock.runFor(2_100)
  await expect(page.getByRole('status')).toHaveText('Twinshelf does not answer. Trying again')
  await page.clock.runFor(2_100)
  await expect(page.getByRole('status')).toHaveText('Putting the shop back as it was')
  await expect(page.getByText('80%', { exact: true })).toBeVisible()
  await page.clock.runFor(2_100)
  await page.waitForURL('**/done?store=fern')
  expect(asked()).toBe(4)
})

test('without an answer the page says so and keeps polling; a store that is gone leads to the next page', async ({
  page,
}) => {
  await standStill(page)
  await pages.open(page, 'uninstall-progress', { ...props, job: updated })
  await page.route('**/progress?*', route => route.abort())
  await page.clock.runFor(2_100)
  await expect(page.getByRole('status')).toContainText('does not answer')
  await page.unroute('**/progress?*')
  await answers(page, {
    status: 204,
    headers: { 'hx-redirect': '/uninstalled?store=fern-and-kiln' },
  })
  await page.clock.runFor(2_100)
  await page.waitForURL('**/uninstalled?store=fern-and-kiln')
})

test('a failed job shows its error and a form to try again, and the page stops polling', async ({
  page,
}) => {
  await standStill(page)
  await pages.open(page, 'uninstall-progress', { ...props, job: updated })
  const asked = await answers(page, { json: updated })
  await tell(page, { ...updated, status: 'errored', message: 'The shop did not answer.' })
  await expect(page.getByRole('alert')).toContainText('The shop did not answer.')
  await page.clock.runFor(10_000)
  expect(asked()).toBe(0)
  const sent = page.waitForRequest('**/again')
  await page.getByRole('button', { name: 'Try again' }).click()
  expect((await sent).postData()).toBe('category=bug&reason=It+%22broke%22')
})

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false })
  test('the page shows the present state of the job', async ({ page }) => {
    await pages.open(page, 'uninstall-progress', { ...props, job: updated })
    await expect(page.getByRole('status')).toHaveText('Putting the shop back as it was')
    await pages.open(page, 'uninstall-progress', {
      ...props,
      job: { ...updated, status: 'errored', message: 'The shop did not answer.' },
    })
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  })
})
