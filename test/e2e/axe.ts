import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** The rules that look at colours; of all others the dark page is the light one once more. */
const ofColours = ['color-contrast', 'link-in-text-block']

/** What axe finds on a page in the light and in the dark, a line each. Frames are left to their own pages' tests, which is why axe needs no second page to put frames together in. */
export async function axeFinds(page: Page): Promise<string[]> {
  const found: string[] = []
  // Until then a page is what it is without scripts.
  await page.waitForFunction(() => !document.querySelector('[data-island]:not([data-alive])'))
  for (const colorScheme of ['light', 'dark'] as const) {
    // Colours that are on their way to others would be neither.
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
