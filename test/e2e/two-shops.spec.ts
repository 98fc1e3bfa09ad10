import { expect, test } from '@playwright/test'
import { changeFile, createDraft, goTo, openApp } from './merchant.ts'
import { startProduct, type Product } from './product.ts'
import { uploadPicture } from './upload-picture.ts'
import { slowness } from '../slowness.ts'

let product: Product
test.beforeAll(async () => {
  product = await startProduct()
})
test.afterAll(() => product.stop())
test.describe.configure({ timeout: 300_000 * slowness })

test('a browser that is signed in to two shops: pictures are drawn and uploaded, and undo leads to another step', async ({
  page,
  context,
}) => {
  // A request that names no shop belongs to no session now.
  await context.addCookies([{ name: 'ts_another-shop', value: 'a.b.c', url: product.app }])
  await page.goto(`${product.shop}/admin/themes/160001/file?name=templates/page.json`)
  await changeFile(page, () =>
    JSON.stringify({
      sections: {
        main: { type: 'main-page' },
        story: { type: 'story', settings: { picture: '/cdn/products/ash-glaze-mug-5.svg' } },
      },
      order: ['main', 'story'],
    }),
  )
  const app = await openApp(page, product)
  await createDraft(app, 'page content', 'Two shops')
  const undo = app.getByRole('button', { name: 'Undo', exact: true }),
    hypothesis = app.getByRole('textbox', { name: 'Hypothesis' })
  // What is typed before the history's code is there is one step of it, whatever the fields.
  await hypothesis.hover()
  await expect(app.locator('[data-undo=watching]')).toBeVisible()
  await hypothesis.fill('They hesitate.')
  await expect(undo).toHaveAttribute('title', /^Undo: Hypothesis/)
  await goTo(app, 'Page')
  await app.getByLabel('Kind of page').selectOption('page')
  await app.getByRole('button', { name: 'Find' }).click()
  await app.getByRole('button', { name: 'Test this page: About the kiln room' }).click()

  const drawn = app.locator('.choice-arms [data-choice] img').first()
  await expect(drawn).toBeVisible({ timeout: 90_000 * slowness })
  await expect(drawn).toHaveAttribute('src', /[?&]shop=/)
  expect(await drawn.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0)

  await app.getByRole('button', { name: 'Edit the content' }).click()
  await uploadPicture(page, app)

  // Undone one after the other, down to the hypothesis, which is on the first step.
  await goTo(app, 'Review')
  for (let label = ''; label !== 'Hypothesis';) {
    await expect(undo).toHaveAttribute('title', /^Undo: /)
    label = /^Undo: (.*) \(Ctrl\+Z\)$/.exec((await undo.getAttribute('title'))!)![1]!
    // What the server restores loads the page again. A second press until then does nothing.
    await (label.startsWith('Test this page') ? undo.dblclick() : undo.click())
    await expect(app.locator('.undo-redo [role=status]')).toHaveText(`Undone: ${label}`)
  }
  await expect(hypothesis).toHaveValue('')
  const frame = page.frames().find(each => each.url().startsWith(product.app))!
  expect(new URL(frame.url()).searchParams.get('shop')).toBeTruthy()
  expect(new URL(frame.url()).searchParams.get('step')).toBe('goal')
})
