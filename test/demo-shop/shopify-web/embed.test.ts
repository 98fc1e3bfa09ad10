import t from 'tap'
import {
  embedBlock,
  type ThemeExtension,
} from '../../../demo-shop/shopify-web/embed/theme-extension.ts'
import { nothingDeployed } from '../../../demo-shop/shopify-web/deployed.ts'
import { installationId } from '../../../demo-shop/shopify/app/app-answers.ts'
import { shopperOf } from '../support/demo-shop.ts'
import { apiKey, openWeb } from './support.ts'

const liquid = `{%- assign head = app.metafields.twinshelf.config.value -%}
{%- if head.v == 1 -%}
<script id="ours" src="{{ 'core.js' | asset_url }}" data-theme="{{ theme.id }}" data-template="{{ template | escape }}" data-product="{{ product.id }}" data-country="{{ localization.country.iso_code }}" data-currency="{{ cart.currency.iso_code }}" data-market="{{ localization.market.id }}" data-page="{{ request.page_type }}" data-shop="{{ shop.permanent_domain }}" data-colour="{{ block.settings.colour }}">{{ head.text | json }}</script>
{%- endif -%}
{% schema %}{ "name": "Ours", "target": "head", "settings": [{ "id": "colour", "default": "red" }] }{% endschema %}`
const theme: ThemeExtension = {
  handle: 'ours-embed',
  uid: '1b2c3d4e-0000-4000-8000-000000000001',
  blocks: [embedBlock('ours', liquid)],
  assets: new Map([
    ['core.js', { body: Buffer.from('1'), type: 'text/javascript', version: 'abc' }],
  ]),
}
const deployed = { ...nothingDeployed, theme }
const editor = '/admin/store/fern-and-kiln/themes/current/editor'

async function withConfig(t: Parameters<typeof openWeb>[0]) {
  const shop = await openWeb(t, { shopify: { deployed } })
  const written = shop.face.metafields.set([
    {
      owner: installationId,
      namespace: 'twinshelf',
      key: 'config',
      type: 'json',
      value: JSON.stringify({ v: 1, text: '</script>' }),
    },
  ])
  t.notOk('problems' in written)
  return shop
}

t.test('the embed is drawn only while its switch in the theme is on', async t => {
  const shop = await withConfig(t)
  const page = async () => (await shop.app.inject('/products/ash-glaze-mug')).body
  t.notMatch(await page(), 'id="ours"', 'it is off at first')
  await shop.web.switches.set('160001', 'ours', true)
  const html = await page()
  const head = html.slice(0, html.indexOf('</head>'))
  t.match(
    head,
    /<script id="ours" src="\/cdn\/extensions\/1b2c3d4e-0000-4000-8000-000000000001\/core\.js\?v=abc" data-theme="160001" data-template="product" data-product="\d+" data-country="US" data-currency="USD" data-market="\d+" data-page="product" data-shop="fern-and-kiln\.myshopify\.com" data-colour="red">"\\u003c\/script>"<\/script>$/,
    'last in the head, and JSON ends no script',
  )
  t.match(head, '"active":"USD","rate":"1"', 'the platform says the currency')
  const asset = await shop.app.inject(`/cdn/extensions/${theme.uid}/core.js?v=abc`)
  t.equal(asset.body, '1')
  t.match(asset.headers, { 'cache-control': /immutable/, 'access-control-allow-origin': '*' })

  await shop.web.switches.set('160001', 'ours', false)
  t.notMatch(await page(), 'id="ours"')
  await shop.web.switches.set('160001', 'ours', true)
  shop.face.installation.uninstall()
  t.notMatch(await page(), 'id="ours"', 'nothing is left after an uninstall')
})

t.test('another theme has a switch of its own, and a copy of the theme takes it along', async t => {
  const shop = await withConfig(t)
  await shop.web.switches.set('160001', 'ours', true)
  t.equal(shop.web.switches.isOn('160002', 'ours'), false)
  await shop.app.inject({
    method: 'POST',
    url: '/admin/themes/160001/duplicate',
    payload: { name: 'Copy' },
  })
  t.equal(shop.web.switches.isOn('160102', 'ours'), true)
})

t.test('the theme’s settings say it as the platform writes it', async t => {
  const shop = await withConfig(t)
  const saved = await shop.app.inject({
    method: 'POST',
    url: editor,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'ours=on',
  })
  t.equal(saved.statusCode, 303)
  const file = await shop.app.inject('/admin/themes/160001/file?name=config%2Fsettings_data.json')
  t.match(
    file.body.replaceAll('&#34;', '"').replaceAll('&quot;', '"'),
    `"type": "shopify://apps/twinshelf/blocks/ours/${theme.uid}"`,
  )
  t.match(file.body, /disabled(&#34;|&quot;|"): false/)
})

t.test('a deep link switches it on, and the merchant saves', async t => {
  const shop = await withConfig(t)
  for (const who of [apiKey, theme.uid]) {
    const { body } = await shop.app.inject(
      `${editor}?context=apps&template=index&activateAppId=${who}/ours`,
    )
    t.match(body, /name="ours" value="on" checked/)
    t.match(body, 'Not saved yet')
  }
  t.equal(shop.web.switches.isOn('160001', 'ours'), false, 'nothing is stored by the link')
  const wrong = await shop.app.inject(`${editor}?activateAppId=somebody/else`)
  t.match(wrong.body, 'There is a problem with the app block')
  const states = await shop.app.inject({
    method: 'POST',
    url: '/admin/store/fern-and-kiln/apps/twinshelf/bridge',
    payload: { call: 'extensions' },
  })
  t.match(states.json(), {
    value: [{ handle: 'ours-embed', activations: [{ handle: 'ours', status: 'available' }] }],
  })
  const own = await shop.app.inject('/admin/themes/current/editor?context=apps')
  t.equal(own.headers.location, `${editor}?context=apps`)
})

t.test('a theme that a link asked for stays for a year', async t => {
  const shop = await withConfig(t)
  const shopper = shopperOf(shop)
  const { cookies } = await shopper.get('/?preview_theme_id=160002')
  t.match(
    cookies.find(({ name }) => name === 'preview_theme'),
    { maxAge: 31_536_000 },
  )
  t.match((await shopper.get('/')).body, /"theme":\{"id":160002,[^}]*"role":"unpublished"/)
})
