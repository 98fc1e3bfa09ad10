import { expect, test, type Page } from '@playwright/test'
import { launchRedirect, startStage, type Stage } from '../stage.ts'

let stage: Stage
test.beforeAll(async () => {
  stage = await startStage()
})
test.afterAll(() => stage.stop())

/** More rows than browsers prepare beyond the window. */
const many = 120

test('rows that are far from the window are not laid out, but are found, focused and counted', async ({
  page,
}) => {
  await launchRedirect(stage)
  await page.goto(await stage.address())
  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size)
    await page.goto(stage.app)
    await expect(page.getByRole('link', { name: 'Shorter gift guide' })).toBeVisible()
    await multiply(page)
    const name = (n: number) => `Test number ${n}`,
      row = (n: number) =>
        page.getByRole('row').filter({ hasText: new RegExp(`${name(n)}(?!\\d)`) })
    await expect.poll(() => isSkipped(page, many - 1)).toBe(true)
    expect(await isSkipped(page, 0)).toBe(false)

    await row(0).getByRole('checkbox').check()
    expect(
      await page.evaluate(text => (window as unknown as { find: Find }).find(text), name(many - 1)),
      'find in page',
    ).toBe(true)
    await expect(row(many - 1)).toBeInViewport()
    await expect.poll(() => isSkipped(page, many - 1)).toBe(false)
    await row(many - 1)
      .getByRole('checkbox')
      .check()
    await expect.poll(() => isSkipped(page, 0)).toBe(true)
    expect(await chosenCount(page), 'rows that are far away count too').toBe('2')

    await page.evaluate(() => scrollTo(0, 0))
    await expect.poll(() => isSkipped(page, 60)).toBe(true)
    await row(59).getByRole('button').focus()
    await page.keyboard.press('Tab')
    await expect(row(60).getByRole('checkbox')).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(row(60).getByRole('link')).toBeFocused()
    await expect(row(60)).toBeInViewport()
  }
})

test('a ticked row keeps its tick and the focus when another one overtakes it, also the last of the first screen', async ({
  page,
}) => {
  await stage.listed(12)
  await page.goto(await stage.address())
  await page.goto(`${stage.app}/?sort=title&order=ascending`)
  const rows = page.locator('tbody tr'),
    boxes = rows.getByRole('checkbox'),
    title = (n: number) => rows.nth(n).locator('th b').innerText()
  const tenth = await title(9),
    box = page.getByRole('row', { name: tenth }).getByRole('checkbox')
  await expect(page.locator('[data-first-screen-end]')).toHaveAccessibleName(`Actions for ${tenth}`)
  await boxes.nth(9).check()
  const chosen = await boxes.nth(9).inputValue(),
    last = await boxes.nth(10).inputValue()
  await stage.call('updateTest', { params: { id: last }, body: { title: 'A test in front' } })
  await expect(rows.first()).toContainText('A test in front')
  expect(await title(10)).toBe(tenth)
  await expect(box).toBeChecked()
  await expect(box).toBeFocused()
  expect(
    await page
      .locator('tbody input:checked')
      .evaluateAll((boxes: HTMLInputElement[]) => boxes.map(({ value }) => value)),
  ).toEqual([chosen])
})

type Find = (text: string) => boolean

/** Makes a list of many tests of the one row that is there. */
const multiply = (page: Page) =>
  page.evaluate(count => {
    const [row] = document.querySelectorAll('tbody tr')
    for (let n = 0; n < count; n++) {
      const copy = row!.cloneNode(true) as Element
      copy.querySelector('b')!.textContent = `Test number ${n}`
      row!.before(copy)
    }
    row!.remove()
  }, many)

/** Whether the browser leaves out what is in this row, because it is far from the window. */
const isSkipped = (page: Page, n: number) =>
  page.evaluate(
    n =>
      !document.querySelectorAll('tbody tr b')[n]!.checkVisibility({ contentVisibilityAuto: true }),
    n,
  )

/** How many tests are chosen, as the page says: a counter of the stylesheet, no text. */
async function chosenCount(page: Page): Promise<unknown> {
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', {
    expression: "document.querySelector('.chosen-count')",
  })
  const { nodes } = await session.send('Accessibility.queryAXTree', {
    objectId: result.objectId!,
    role: 'StaticText',
  })
  return nodes[0]?.name?.value
}
