import { expect, type FrameLocator, type Page } from '@playwright/test'
import sharp from 'sharp'
import { pictureLimits, pictureWords } from '../../domain/drafts/pictures/picture.ts'

/**
 * Checks the upload control of a page's content: refused files, a cancelled upload, a dropped file,
 * and the result in its field.
 */
export async function uploadPicture(page: Page, app: FrameLocator): Promise<void> {
  const upload = app.getByRole('group', { name: 'Upload: Picture' }),
    choose = upload.locator('input[type=file]')
  const told = upload.getByRole('status'),
    field = app.locator('[data-field$=".picture"] input.code')
  const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/png', buffer })
  await expect(upload.locator('img')).toHaveAttribute('src', /ash-glaze-mug-5/)
  await choose.setInputFiles(file('words.png', Buffer.from('no picture')))
  await expect(told).toHaveText(pictureWords.format)
  await choose.setInputFiles(file('large.png', Buffer.alloc(pictureLimits.bytes + 1)))
  await expect(told).toHaveText(pictureWords.large)

  const picture = await sharp({
    create: { width: 60, height: 40, channels: 3, background: 'teal' },
  })
    .png()
    .toBuffer()
  // No response: the upload runs until it is cancelled.
  await page.route(/\/uploads\?/, () => {})
  await choose.setInputFiles(file('kiln.png', picture))
  await expect(upload.getByRole('progressbar')).toBeVisible()
  await upload.getByRole('button', { name: 'Cancel' }).click()
  await expect(upload.getByRole('progressbar')).toHaveCount(0)
  await expect(told).toHaveText('')
  await page.unroute(/\/uploads\?/)

  await app.getByRole('button', { name: 'Remove picture: Picture' }).click()
  await expect(field).toHaveValue('')
  await expect(upload.locator('img')).toHaveCount(0)
  const dropped = await upload.evaluateHandle(
    (_, bytes) => {
      const data = new DataTransfer()
      data.items.add(new File([Uint8Array.from(bytes)], 'kiln.png', { type: 'image/png' }))
      return data
    },
    [...picture],
  )
  await upload.dispatchEvent('drop', { dataTransfer: dropped })
  await expect(field).toHaveValue(/\/twinshelf-[0-9a-f]{32}\.png/)
  await expect(told).toHaveText('The picture is uploaded.')
  await expect
    .poll(() => upload.locator('img').evaluate((img: HTMLImageElement) => img.naturalWidth))
    .toBe(60)
}
