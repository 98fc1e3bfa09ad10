import { allResources } from './shops/all-resources.ts'
import type { Platform } from '../../../engine/platform/adapter.ts'

/** A section with blocks, as a theme has it. */
const points = `<ul class="points">{% for block in section.blocks %}<li>{{ block.settings.label }}</li>{% endfor %}</ul>
{% schema %}{ "name": "Points", "blocks": [{ "type": "point", "name": "Point", "settings": [{ "type": "text", "id": "label", "label": "Words" }] }] }{% endschema %}`
const about = {
  sections: {
    main: { type: 'main-page' },
    story: {
      type: 'story',
      settings: {
        side: 'left',
        title: 'Ash does as it likes',
        text: 'No two firings agree.',
        button: 'See the pots',
        url: '/collections/all',
        picture: '/cdn/products/ash-glaze-mug-5.svg',
      },
    },
    points: {
      type: 'points',
      blocks: {
        one: { type: 'point', settings: { label: 'Seven of us' } },
        two: { type: 'point', settings: { label: 'One barn' } },
      },
      block_order: ['one', 'two'],
    },
    shelf: {
      type: 'featured-products',
      settings: { title: 'Fresh from the kiln', collection: 'tableware', count: 4 },
    },
  },
  order: ['main', 'story', 'points', 'shelf'],
}
export const aboutFile = 'templates/page.about.json'

/**
 * Gives the shop's about page its own template with several sections. Returns the page's id and
 * path, and the theme's id. `merchant` writes the files where apps may not.
 */
export async function stageAboutPage(
  platform: Platform,
  shop: string,
  merchant: Pick<Platform, 'writeThemeFiles'> = platform,
): Promise<{ id: string; path: string; themeId: string }> {
  const theme = (await platform.themes(shop)).find(({ role }) => role === 'live')!
  await merchant.writeThemeFiles(shop, theme.id, [
    { name: 'sections/points.liquid', body: points },
    { name: aboutFile, body: JSON.stringify(about, null, 2) },
  ])
  const { id, path } = (await allResources(platform, shop, 'page')).find(
    ({ handle }) => handle === 'about',
  )!
  await platform.assignTemplates(shop, [{ type: 'page', id, suffix: 'about' }])
  return { id, path, themeId: theme.id }
}
