import { expect, type Page } from '@playwright/test'
import { paths } from '../../domain/paths.ts'
import type { Product } from './product.ts'
import { slowness } from '../slowness.ts'

/**
 * A report and the tests list that stay open while the test changes. They update themselves and
 * keep what the merchant does on them.
 */
export type OpenPages = {
  /** Expects these visitors of each arm, while a dialog with typed text stays open. */
  expectVisitors: (visitors: [number, number]) => Promise<void>
  /** Expects the test as ended, and the chart's legend as it was set. */
  expectEnded: () => Promise<void>
}

export async function openPages(
  page: Page,
  product: Product,
  test: { id: string; title: string },
): Promise<OpenPages> {
  const open = async (path: string) => {
    const opened = await page.context().newPage()
    await opened.goto(product.app + path)
    // A mark on the window, which is lost when the page is loaded again.
    await opened.evaluate(() => {
      ;(window as { marked?: boolean }).marked = true
    })
    return opened
  }
  const isSame = (opened: Page) =>
    opened.evaluate(() => (window as { marked?: boolean }).marked === true)
  const report = await open(paths.report(test.id)),
    list = await open(paths.home())
  await report.getByRole('link', { name: 'Edit name and hypothesis' }).click()
  const dialog = report.getByRole('dialog'),
    name = dialog.getByRole('textbox').first()
  await name.fill('Half typed')
  const search = list.getByRole('searchbox'),
    row = list.getByRole('row', { name: test.title })
  await row.getByRole('checkbox').check()
  await search.focus()

  return {
    expectVisitors: async visitors => {
      const rows = report.locator('.result-table tbody tr')
      for (const i of [0, 1] as const)
        await expect(rows.nth(i).locator('td').first()).toHaveText(String(visitors[i]), {
          timeout: 30_000 * slowness,
        })
      await expect(row).toContainText(` ${visitors[0] + visitors[1]} `.trim(), {
        timeout: 30_000 * slowness,
      })
      await expect(report.getByText('Updated just now')).toBeVisible()
      await expect(report.locator('.live-note').getByRole('status')).toHaveText(
        'The figures were updated.',
      )
      await expect(dialog).toBeVisible()
      await expect(name).toHaveValue('Half typed')
      await expect(name).toBeFocused()
      await expect(search).toBeFocused()
      await expect(row.getByRole('checkbox'), 'the ticked box stays ticked').toBeChecked()
      await expect(list.getByText('chosen')).toBeVisible()
      expect([await isSame(report), await isSame(list)], 'neither page was loaded again').toEqual([
        true,
        true,
      ])
      await dialog.getByRole('link', { name: 'Cancel' }).click()
      await report.getByRole('button', { name: 'Close without saving' }).click()
      // The report has charts since the first visitor.
      await report.getByRole('button', { name: 'Control', exact: true }).click()
      await report.evaluate(() => scrollTo(0, 400))
    },
    expectEnded: async () => {
      await expect(report.locator('.page-head .status')).toHaveText('Ended', {
        timeout: 30_000 * slowness,
      })
      await expect(report.getByRole('button', { name: 'Control', exact: true })).toHaveAttribute(
        'aria-pressed',
        'false',
      )
      expect(await report.evaluate(() => scrollY)).toBe(400)
      await expect(row).toHaveCount(0, { timeout: 30_000 * slowness })
      await expect(list.getByText('chosen'), 'no box is ticked any more').toBeHidden()
      await expect(search).toBeFocused()
      expect([await isSame(report), await isSame(list)]).toEqual([true, true])
      await Promise.all([report.close(), list.close()])
    },
  }
}
