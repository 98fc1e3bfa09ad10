import { expect, test } from '@playwright/test'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { placeToBe } from '../../storefront/preview/preview-place.ts'

test('an arm with another template or theme is previewed at the platform’s address for it, with one redirect', () => {
  const at = (path: string) => new URL(path, 'https://pots.example')
  const place = (
    over: Partial<ScriptTest>,
    arm: 0 | 1,
    path: string,
    facts: Record<string, string>,
  ) =>
    placeToBe(
      { id: 't', weights: [1, 0], pages: ['*'], ...over },
      arm,
      at(path),
      facts,
    )?.href.slice(at('/').origin.length) ?? null
  const view = { view: ['product', 'product.story'] satisfies ScriptTest['view'] },
    theme = { theme: ['1', '2'] satisfies ScriptTest['theme'] }
  expect(place(view, 1, '/products/mug?a=1', { template: 'product' })).toBe(
    '/products/mug?a=1&view=story',
  )
  expect(place(view, 1, '/products/mug?view=story', { template: 'product.story' })).toBe(null)
  expect(
    place(view, 1, '/products/mug?view=story', { template: 'product' }),
    'when the shop does not show the template, there is no endless redirect',
  ).toBe(null)
  expect(place(view, 0, '/products/mug?view=story', { template: 'product.story' })).toBe(
    '/products/mug',
  )
  expect(place(view, 1, '/pages/about', { template: 'page' }), 'another type of page').toBe(null)
  expect(place(theme, 1, '/', { theme: '1' })).toBe('/?preview_theme_id=2')
  expect(place(theme, 1, '/?preview_theme_id=2', { theme: '1' })).toBe(null)
  expect(place(theme, 0, '/', { theme: '2' })).toBe('/?preview_theme_id=')
  expect(place(theme, 0, '/?preview_theme_id=', { theme: '2' })).toBe(null)
  expect(place({ to: '/b' }, 0, '/a', {})).toBe(null)
})
