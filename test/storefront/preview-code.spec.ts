import { expect, test } from '@playwright/test'
import { build } from 'esbuild'
import { actionProblems } from '../../engine/drafts/change-problems.ts'

/** Markup that runs `hit()` in a browser when it is inserted into an SVG. */
const live = [
  '<title><img src=data:, onerror=hit()></title>',
  '<textarea><textarea><textarea><textarea><title><img src=data:, onerror=hit()>',
  `${'<textarea>'.repeat(9)}<title><img src=data:, onerror=hit()>`,
  '<title>&lt;a title="<img src=data:, onerror=hit()>"&gt;</title>',
  '<title>&lt;!--<img src=data:, onerror=hit()>--></title>',
  '<![CDATA[><a title="]]><!-- --!><img src=data:, onerror=hit()>">',
  '</svg><title>&lt;a title="<img src=data:, onerror=hit()>"&gt;</title>',
]
const harmless = [
  '<p class="note">Free <b>returns</b></p>',
  '<svg viewBox="0 0 1 1"><title>Returns</title><path d="M0 0"/></svg>',
  '<p>1 < 2</p>',
]
type Code = { code: { holdsCode: (change: object) => boolean } }

test('code inside an SVG is found in the preview and refused when saved', async ({ page }) => {
  const { outputFiles } = await build({
    entryPoints: ['storefront/preview/preview-code.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'code',
    logLevel: 'silent',
  })
  await page.setContent('<!doctype html><title>Icons</title><svg></svg><div></div>')
  await page.addScriptTag({
    content: `${outputFiles[0]!.text}; globalThis.ran = 0; globalThis.hit = () => { ran++ }`,
  })
  const holds = (value: string) =>
    page.evaluate(
      value =>
        (globalThis as unknown as Code).code.holdsCode({
          selector: 'svg',
          kind: 'html',
          name: '',
          value,
        }),
      value,
    )
  const ran = () => page.evaluate(() => (globalThis as unknown as { ran: number }).ran)
  for (const value of live) {
    expect(await holds(value), value).toBe(true)
    expect(actionProblems({ selector: 'svg', kind: 'html', name: '', value }), value).toHaveLength(
      1,
    )
    // Prove that the markup really runs code in a browser.
    const before = await ran()
    await page.evaluate(value => {
      document.querySelector('svg')!.innerHTML = value
      // Some browsers read CDATA only when the SVG is parsed together with it.
      document.querySelector('div')!.innerHTML = `<svg>${value}</svg>`
    }, value)
    await expect.poll(ran, value).toBeGreaterThan(before)
  }
  for (const value of harmless)
    expect([
      value,
      await holds(value),
      actionProblems({ selector: 'svg', kind: 'html', name: '', value }),
    ]).toEqual([value, false, []])
})
