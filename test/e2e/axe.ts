import type { Page } from '@playwright/test'
import axe, { type RunOptions } from 'axe-core'
import { islandsAlive } from './pages/islands-alive.ts'

/**
 * The rules about colours. Only they are checked on the dark page: for all other rules it equals
 * the light page.
 */
const ofColours = ['color-contrast', 'link-in-text-block']

type Axe = typeof axe
/** Runs in the page. Axe may not look into frames of other sites. */
const findingsOf = async (options: RunOptions): Promise<string[]> => {
  const { axe } = window as unknown as { axe: Axe }
  axe.configure({ allowedOrigins: ['<same_origin>'] })
  const { violations } = await axe.run({ exclude: [['iframe']] }, options)
  return violations.map(
    ({ id, nodes }) =>
      `${id} at ${nodes.map(node => `${node.target.join(' ')} ${node.html.slice(0, 80)}`).join(', ')}`,
  )
}

/**
 * Axe's findings on a page in light and dark, one per line. Frames are excluded: the tests of their
 * own pages check them. Axe's own builder for Playwright would load axe twice for each colour
 * scheme, which takes longer than its rules.
 */
export async function axeFinds(page: Page): Promise<string[]> {
  const found: string[] = []
  await islandsAlive(page)
  await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    // No transitions: axe would measure colours in the middle of a change.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const findings = await page.evaluate(findingsOf, {
      resultTypes: ['violations' as const],
      ...(colorScheme === 'dark' && { runOnly: { type: 'rule' as const, values: ofColours } }),
    })
    const { pathname, search } = new URL(page.url())
    found.push(...findings.map(finding => `${pathname}${search} ${colorScheme}: ${finding}`))
  }
  return found
}
