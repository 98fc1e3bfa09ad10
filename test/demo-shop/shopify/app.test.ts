import t from 'tap'
import { usualScopes } from '../../../demo-shop/shopify/face.ts'
import { shopifyScopes } from '../../../engine/platform/shopify/scopes.ts'
import { openShopifyShop } from './shopify-shop.ts'

const set = `mutation ($m: [MetafieldsSetInput!]!) {
  metafieldsSet(metafields: $m) { metafields { namespace key compareDigest } userErrors { code field } }
}`
type Installed = { currentAppInstallation: { id: string; accessScopes: { handle: string }[] } }

t.test('the app keeps metafields with its installation, whole or not at all', async t => {
  const shop = await openShopifyShop(t)
  const { currentAppInstallation: installed } = await shop.data<Installed>(
    '{ currentAppInstallation { id accessScopes { handle } } }',
  )
  const field = (key: string, value: string, more: object = {}) => ({
    ownerId: installed.id,
    namespace: 'twinshelf',
    key,
    type: 'json',
    value,
    ...more,
  })
  t.match(await shop.data(set, { m: [field('config', '{"a":1}'), field('other', 'no json')] }), {
    metafieldsSet: { metafields: [], userErrors: [{ code: 'INVALID_VALUE' }] },
  })
  const read =
    '{ currentAppInstallation { metafield(namespace: "twinshelf", key: "config") { value jsonValue } } }'
  t.same(await shop.data(read), { currentAppInstallation: { metafield: null } })
  await shop.data(set, { m: [field('config', '{"a":1}')] })
  t.match(await shop.data(read), {
    currentAppInstallation: { metafield: { value: '{"a":1}', jsonValue: { a: 1 } } },
  })
  t.match(await shop.data(set, { m: [field('config', JSON.stringify('x'.repeat(131_072)))] }), {
    metafieldsSet: { userErrors: [{ code: 'TOO_LONG' }] },
  })
  t.match(await shop.data(set, { m: [field('config', '2', { compareDigest: 'old' })] }), {
    metafieldsSet: { userErrors: [{ code: 'STALE_OBJECT' }] },
  })
  await shop.data(
    'mutation ($m: [MetafieldIdentifierInput!]!) { metafieldsDelete(metafields: $m) { deletedMetafields { key } userErrors { message } } }',
    { m: [{ ownerId: installed.id, namespace: 'twinshelf', key: 'config' }] },
  )
  t.same(await shop.data(read), { currentAppInstallation: { metafield: null } })
})

t.test('a field is refused whose scope the token lacks', async t => {
  const shop = await openShopifyShop(t, { settings: { scopes: ['read_products'] } })
  const { body } = await shop.ask('{ themes(first: 1) { nodes { id } } }')
  t.match(body.errors?.[0], {
    message: /^Access denied for themes field/,
    extensions: { code: 'ACCESS_DENIED' },
  })
  t.equal((await shop.ask('{ products(first: 1) { nodes { id } } }')).body.errors, undefined)
})

t.test('the stand-in grants what the app asks for', async t => {
  t.same([...usualScopes].sort(), Object.keys(shopifyScopes).sort())
})

t.test('an uninstall ends tokens and the fields that the app kept', async t => {
  const shop = await openShopifyShop(t)
  await shop.data('mutation { appUninstall { app { id } userErrors { message } } }')
  t.equal((await shop.ask('{ shop { id } }')).status, 401)
})

t.test('a field that the stand-in cannot answer is an error, not a null', async t => {
  const shop = await openShopifyShop(t)
  const { body } = await shop.ask('{ shop { unitSystem } }')
  t.match(body.errors?.[0], { extensions: { code: 'NOT_IMPLEMENTED' } })
  t.match((await shop.ask('{ shop { nothing } }')).body.errors?.[0]?.message, /Cannot query field/)
})
