import t from 'tap'
import { products } from '../../demo-shop/catalogue/collections.ts'
import { shopPages } from '../../demo-shop/catalogue/search.ts'
import { appOrigin, bearer, openShop, shopOrigin } from './support/demo-shop.ts'

t.test(
  'the catalogue has 24 products, each with one to six product variants, a unique id and a unique address',
  async t => {
    t.equal(products.length, 24)
    t.same(
      products.filter(p => p.variants.length < 1 || p.variants.length > 6).map(p => p.handle),
      [],
    )
    const ids = products.flatMap(p => p.variants.map(v => v.id))
    t.equal(new Set(ids).size, ids.length)
    t.equal(new Set(products.map(p => p.handle)).size, 24)
    const mug = products.find(p => p.handle === 'ash-glaze-mug')!
    t.same(
      mug.variants.map(v => [v.title, v.price]),
      [
        ['250 ml / Ash', 3400],
        ['250 ml / Salt', 3400],
        ['250 ml / Iron', 3400],
        ['350 ml / Ash', 3800],
        ['350 ml / Salt', 3800],
        ['350 ml / Iron', 3800],
      ],
    )
  },
)

for (const [theme, id] of [
  ['Kiln', '160001'],
  ['Harbour', '160002'],
]) {
  t.test(
    `${theme} draws every page of the shop as complete valid HTML, with the app's script first`,
    async t => {
      const shop = await openShop(t)
      await shop.app.inject({
        method: 'PUT',
        url: '/admin/api/script',
        headers: { ...bearer, 'content-type': 'text/javascript' },
        payload: 'window.x=1',
      })
      const paths = [
        ...shopPages.map(page => page.path),
        '/products/ash-glaze-mug?view=story',
        '/pages/about?view=guide',
        '/search?q=linen',
        '/nowhere',
      ]
      for (const path of paths) {
        const { statusCode, body, headers } = await shop.app.inject(
          path + (path.includes('?') ? '&' : '?') + `preview_theme_id=${id}`,
        )
        t.equal(statusCode, path === '/nowhere' ? 404 : 200, path)
        t.match(
          body,
          /^<!doctype html>\n<html lang="en">\n<head>\n<script src="\/assets\/twinshelf\.js\?v=[\w-]+"( data-[a-z]+="[\w.]+")+><\/script>\n/,
          `${path} begins with the script`,
        )
        t.match(body, new RegExp(`/assets/${id}/`), `${path} uses its own assets`)
        t.equal(body.match(/<h1\b/g)?.length, 1, `${path} has one heading`)
        t.ok(body.trimEnd().endsWith('</html>'), path)
        t.notMatch(body, /\{\{|\{%|undefined|\[object/, `${path} has no unrendered Liquid`)
        t.equal(
          headers['content-security-policy'],
          `frame-ancestors 'self' ${appOrigin}`,
          'the editor may frame it',
        )
      }
    },
  )
}

t.test('no script is mentioned while none is published', async t => {
  const shop = await openShop(t)
  t.notMatch((await shop.app.inject('/')).body, 'twinshelf')
  t.equal((await shop.app.inject('/assets/twinshelf.js')).statusCode, 404)
})

t.test(
  'a product may have an alternate template, `view` asks for one, and a missing template falls back to the usual one',
  async t => {
    const { app } = await openShop(t)
    const draws = async (path: string) =>
      [...(await app.inject(path)).body.matchAll(/id="section-([a-z]+)"/g)].map(match => match[1])
    t.same(await draws('/products/oak-spoon'), ['header', 'main', 'related', 'footer'])
    t.same(await draws('/products/oak-spoon?view=story'), [
      'header',
      'main',
      'story',
      'related',
      'footer',
    ])
    t.same(await draws('/products/pour-over-set'), ['header', 'main', 'story', 'related', 'footer'])
    t.same(await draws('/products/oak-spoon?view=../../layout/theme'), [
      'header',
      'main',
      'related',
      'footer',
    ])
  },
)

t.test('shoppers’ input is escaped', async t => {
  const { app } = await openShop(t)
  const { body } = await app.inject(
    `/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`,
  )
  t.notMatch(body, '<script>alert')
  t.match(body, '&lt;script&gt;')
})

t.test('search finds products by the beginning of words, and collections sort', async t => {
  const { app } = await openShop(t)
  const found = async (path: string) =>
    [...(await app.inject(path)).body.matchAll(/class="card" href="\/products\/([a-z-]+)"/g)].map(
      match => match[1],
    )
  t.same(await found('/search?q=walnut'), ['walnut-board'])
  t.same(await found('/search?q=iron+bowl'), ['iron-glaze-bowl', 'pasta-bowl', 'breakfast-set'])
  t.same(await found('/search?q=hsrf'), [])
  t.same(await found('/collections/wood-and-tools?sort_by=price-ascending'), [
    'cherry-spatula',
    'oak-spoon',
    'walnut-board',
  ])
  t.same(await found('/collections/wood-and-tools?sort_by=constructor'), [
    'oak-spoon',
    'walnut-board',
    'cherry-spatula',
  ])
})

t.test('every picture that a page names exists; other addresses are not found', async t => {
  const { app } = await openShop(t)
  for (const { pictures } of products) {
    for (const { src } of pictures) {
      const { statusCode, headers, body } = await app.inject(src)
      t.equal(statusCode, 200, src)
      t.equal(headers['content-type'], 'image/svg+xml')
      t.notMatch(body, /undefined|NaN|var\(/, src)
    }
  }
  for (const path of [
    '/cdn/products/oak-spoon-0.svg',
    '/cdn/products/oak-spoon-9.svg',
    '/cdn/products/nothing-1.svg',
    '/cdn/scenes/constructor.svg',
    '/assets/160001/..%2f..%2fconfig%2fsettings_data.json',
  ])
    t.equal((await app.inject(path)).statusCode, 404, path)
})

t.test('crawlers find robots.txt and a sitemap whose pages exist', async t => {
  const { app } = await openShop(t)
  t.match((await app.inject('/robots.txt')).body, `Sitemap: ${shopOrigin}/sitemap.xml`)
  const urls = [...(await app.inject('/sitemap.xml')).body.matchAll(/<loc>([^<]+)<\/loc>/g)].map(
    match => match[1]!,
  )
  t.equal(urls.length, 1 + 6 + 24 + 5 + 1 + 3)
  for (const url of urls)
    t.equal((await app.inject(url.replace(shopOrigin, ''))).statusCode, 200, url)
})
