import t from 'tap'
import { pageTemplate } from '../../domain/events/page-facts.ts'
import { address, bearer, openShop, shopperOf, type TestShop } from './support/demo-shop.ts'

const spoon = 30100
const withScript = (shop: TestShop) =>
  shop.app.inject({
    method: 'PUT',
    url: '/admin/api/script',
    headers: { ...bearer, 'content-type': 'text/javascript' },
    payload: 'window.x=1',
  })
/** The data attributes of a page's script tag, by name. */
const factsIn = (html: string) =>
  Object.fromEntries(
    [
      .../<script src="\/assets\/twinshelf[^>]*>/
        .exec(html)![0]
        .matchAll(/ data-([a-z]+)="([^"]*)"/g),
    ].map(([, name, value]) => [name!, value!]),
  )
type Cart = {
  token: string
  currency: string
  items: { price: number; line_price: number; original_price: number; quantity: number }[]
  total_price: number
  shipping: number
  until_free_shipping: number
  attributes: object
}
type Order = {
  subtotal_price: string
  total_price: string
  currency: string
  presentment: {
    currency: string
    rate: number
    subtotal_price: string
    total_shipping: string
    total_price: string
    refunded: string
  }
  line_items: {
    price: string
    unit_price: string
    amount: string
    presentment: { price: string; amount: string }
  }[]
}

t.test('a page’s script tag names its theme, template, resource and country', async t => {
  const shop = await openShop(t)
  await withScript(shop)
  const facts = async (path: string) => factsIn((await shop.app.inject(path)).body)
  const plain = { theme: '160001', country: 'US', rate: '1', step: '1', ending: '0', digits: '2' }
  t.same(await facts('/products/ash-glaze-mug'), { ...plain, template: 'product', resource: '101' })
  t.same(
    await facts('/products/pour-over-set'),
    {
      ...plain,
      template: pageTemplate('product', 'story'),
      resource: String((await facts('/products/pour-over-set'))['resource']),
    },
    'the template that the product is assigned to',
  )
  t.match(await facts('/products/ash-glaze-mug?view=story'), { template: 'product.story' })
  t.match(
    await facts('/products/ash-glaze-mug?view=nothing'),
    { template: 'product' },
    'the template that was used, not the one in the address',
  )
  t.match(await facts('/products/ash-glaze-mug?view=story&preview_theme_id=160002'), {
    theme: '160002',
    template: 'product.story',
  })
  t.same(await facts('/'), { ...plain, template: 'index' }, 'a page without a resource names none')
  t.same(await facts('/cart'), { ...plain, template: 'cart' })
  t.same(await facts('/search?q=mug'), { ...plain, template: 'search' })
  t.same(await facts('/nowhere'), { ...plain, template: '404' })
  t.match(await facts('/collections/all'), { template: 'collection', resource: '900' })
  for (const path of ['/pages/about', '/blogs/journal', '/collections/home'])
    t.match((await facts(path))['resource'], /^\d+$/, path)
})

t.test(
  'a theme in a link stays for the browser’s session, or until a link asks for the live theme',
  async t => {
    const shopper = shopperOf(await openShop(t))
    const theme = async (path: string) =>
      /\/assets\/(\d+)\//.exec((await shopper.get(path)).body)![1]
    t.equal(await theme('/'), '160001')
    const asked = await shopper.get('/?preview_theme_id=160002')
    t.match(asked.cookies, [
      { name: 'preview_theme', value: '160002', path: '/', sameSite: 'Lax', httpOnly: true },
    ])
    t.equal(
      asked.cookies[0]!.maxAge ?? asked.cookies[0]!.expires,
      undefined,
      'the cookie ends with the session',
    )
    t.equal(await theme('/cart'), '160002')
    t.equal(
      await theme('/products/oak-spoon?preview_theme_id=1'),
      '160002',
      'an unknown theme changes nothing',
    )
    t.equal(
      (await shopper.get('/?preview_theme_id=160002')).cookies.length,
      0,
      'the same theme again sets no cookie',
    )
    t.equal(await theme('/?preview_theme_id='), '160001', 'an empty id means the live theme')
    t.equal(await theme('/'), '160001')
    await shopper.get('/?preview_theme_id=160002')
    t.equal(await theme('/?preview_theme_id=160001'), '160001', 'the live theme’s id does the same')
    t.equal(shopper.cookies.has('preview_theme'), false)
    shopper.cookies.set('preview_theme', '../../etc')
    t.equal(await theme('/'), '160001', 'a cookie with an unknown theme is ignored')
  },
)

t.test(
  'shoppers choose country and currency in the footer of both themes, and the page uses them',
  async t => {
    const shop = await openShop(t)
    await withScript(shop)
    for (const theme of ['160001', '160002']) {
      const shopper = shopperOf(shop)
      const { body } = await shopper.get(`/products/oak-spoon?preview_theme_id=${theme}`)
      t.match(
        body,
        /<form class="locale" action="\/localization" method="post">[\s\S]*value="\/products\/oak-spoon\?preview_theme_id=\d+"[\s\S]*<option value="US" selected>United States<[\s\S]*<option selected>USD<[\s\S]*<option>JPY</,
      )
      const chosen = await shopper.form('/localization', {
        country: 'JP',
        currency: 'JPY',
        return_to: '/products/oak-spoon',
      })
      t.same([chosen.statusCode, chosen.headers['location']], [303, '/products/oak-spoon'])
      const page = (await shopper.get('/products/oak-spoon')).body
      t.match(factsIn(page), {
        theme,
        country: 'JP',
        rate: '1.49',
        step: '100',
        ending: '0',
        digits: '0',
      })
      t.match(page, /class="product__price price">¥2,700</)
      t.match(page, '"price":"2700","priceCurrency":"JPY"')
      for (const path of ['/collections/all', '/search?q=spoon', '/', '/pages/gift-guide-2026'])
        t.match((await shopper.get(path)).body, /¥\d/, path)
      for (const path of [
        '/collections/all',
        '/search?q=spoon',
        '/',
        '/pages/gift-guide-2026',
        '/products/kiln-candle',
      ])
        t.notMatch(
          (await shopper.get(path)).body,
          /(card__price|guide__price|item__price|product__price price)">(From )?\$/,
          path,
        )
    }
  },
)

t.test('an unknown country or currency is refused, and a foreign return page ignored', async t => {
  const shopper = shopperOf(await openShop(t))
  for (const [fields, field] of [
    [{ currency: 'XXX' }, 'currency'],
    [{ country: 'Atlantis', currency: 'EUR' }, 'country'],
    [{ currency: '"><script>' }, 'currency'],
  ] as const) {
    const refused = await shopper.json('/localization', fields)
    t.equal(refused.statusCode, 422)
    t.match(refused.json<object>(), { fields: [{ field }] })
    t.equal(shopper.cookies.size, 0, 'no cookie is set')
  }
  for (const return_to of [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '',
  ])
    t.equal(
      (await shopper.form('/localization', { currency: 'EUR', return_to })).headers['location'],
      '/',
      return_to,
    )
  shopper.cookies.set('currency', 'constructor').set('country', 'toString')
  t.match((await shopper.get('/products/oak-spoon')).body, /price">\$18\.00</)
})

t.test(
  'cart, checkout and order are in the shopper’s currency; the order also keeps the shop’s currency',
  async t => {
    const shop = await openShop(t)
    const shopper = shopperOf(shop)
    await shopper.form('/localization', { currency: 'EUR', country: 'DE' })
    // $18.00 is €16.56, and the shop's prices in euros end in .95.
    const unit = 1695
    const cart = (await shopper.json('/cart/add.js', { id: spoon, quantity: 3 })).json<Cart>()
    t.match(cart, {
      currency: 'EUR',
      total_price: 3 * unit,
      shipping: 598,
      until_free_shipping: 1932,
      items: [{ original_price: unit, price: unit, line_price: 3 * unit }],
    })
    t.match((await shopper.get('/cart')).body, /€50\.85[\s\S]*€19\.32 more and delivery is free/)
    t.match((await shopper.get('/checkout')).body, /value="Germany"[\s\S]*€56\.83/)
    const order = (await shopper.json('/checkout', address)).json<Order>()
    t.match(order, {
      currency: 'USD',
      subtotal_price: '55.27',
      total_price: '61.77',
      presentment: {
        currency: 'EUR',
        rate: 0.92,
        subtotal_price: '50.85',
        total_shipping: '5.98',
        total_price: '56.83',
        refunded: '0.00',
      },
      line_items: [
        {
          unit_price: '18.00',
          price: '18.42',
          amount: '55.27',
          presentment: { price: '16.95', amount: '50.85' },
        },
      ],
    })
    for (const path of ['/admin', '/admin/orders/1001'])
      t.match(
        (await shop.app.inject(path)).body,
        /\$61\.77<br><span class="quiet">€56\.83|\$55\.27<br><span class="quiet">€50\.85/,
        path,
      )
    t.match((await shop.app.inject('/admin/orders/1001')).body, 'Paid in EUR')
    const paidBack = await shop.app.inject({
      method: 'POST',
      url: `/admin/api/orders/${(order as unknown as { id: string }).id}/refunds`,
      headers: bearer,
      payload: { amount: '55.27' },
    })
    t.match(
      paidBack.json<Order>(),
      { refunded: '55.27', presentment: { refunded: '50.85' } },
      'the full amount in both currencies',
    )
  },
)

t.test('a subscription renews in its first order’s currency and at its rate', async t => {
  const now = { at: new Date('2026-11-20T15:00:00Z') }
  const shop = await openShop(t, { clock: () => now.at })
  const shopper = shopperOf(shop)
  await shopper.form('/localization', { currency: 'JPY' })
  const [plan] = [
    ...(await shopper.get('/products/kiln-candle')).body.matchAll(
      /name="selling_plan" value="(\d+)"/g,
    ),
  ].map(match => Number(match[1]))
  const added = await shopper.json('/cart/add.js', {
    id: Number(
      /name="id" value="(\d+)"/.exec((await shopper.get('/products/kiln-candle')).body)![1],
    ),
    selling_plan: plan,
  })
  t.equal(added.statusCode, 200)
  const first = (await shopper.json('/checkout', address)).json<Order>()
  now.at = new Date('2026-12-21T15:00:00Z')
  await shop.app.inject({ method: 'POST', url: '/admin/api/renewals', headers: bearer })
  const orders = (await shop.app.inject({ url: '/admin/api/orders.json', headers: bearer })).json<
    Order[]
  >()
  t.equal(orders.length, 2)
  t.same(orders[1]!.presentment, first.presentment)
  t.same(orders[1]!.line_items, first.line_items)
})
