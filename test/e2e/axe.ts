import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { islandsAlive } from './islands-alive.ts'

/**
 * The rules about colours. Only they are checked on the dark page: for all other rules it equals
 * the light page.
 */
const ofColours = ['color-contrast', 'link-in-text-block']

/**
 * Axe's findings on a page in light and dark, one per line. Frames are excluded: the tests of their
 * own pages check them, so axe needs no second page to combine frames (legacy mode).
 */
export async function axeFinds(page: Page): Promise<string[]> {
  const found: string[] = []
  await islandsAlive(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    // No transitions: axe would measure colours in the middle of a change.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const axe = new AxeBuilder({ page })
      .setLegacyMode()
      .exclude('iframe')
      .options({
        resultTypes: ['violations'],
        ...(colorScheme === 'dark' && { runOnly: { type: 'rule', values: ofColours } }),
      })
    const { violations } = await axe.analyze(),
      { pathname, search } = new URL(page.url())
    found.push(
      ...violations.map(
        ({ id, nodes }) =>
          `${pathname}${search} ${colorScheme}: ${id} at ${nodes.map(node => `${node.target.join(' ')} ${node.html.slice(0, 80)}`).join(', ')}`,
      ),
    )
  }
  return found
}
