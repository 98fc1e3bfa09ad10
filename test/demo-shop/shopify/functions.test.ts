import t from 'tap'
import { openShopifyShop } from './shopify-shop.ts'

t.test('a shop has one pixel of the app, and an error where there is none', async t => {
  const shop = await openShopifyShop(t)
  const read = '{ webPixel { id settings } }'
  t.match((await shop.ask(read)).body, {
    data: { webPixel: null },
    errors: [{ extensions: { code: 'RESOURCE_NOT_FOUND' } }],
  })
  const create =
    'mutation ($s: JSON!) { webPixelCreate(webPixel: { settings: $s }) { webPixel { id } userErrors { code } } }'
  t.match(await shop.data(create, { s: { a: 1 } }), {
    webPixelCreate: { userErrors: [{ code: 'INVALID_CONFIGURATION_JSON' }] },
  })
  const { webPixelCreate: made } = await shop.data<{
    webPixelCreate: { webPixel: { id: string } }
  }>(create, { s: '{"account":"1"}' })
  t.match(await shop.data(create, { s: { account: '2' } }), {
    webPixelCreate: { userErrors: [{ code: 'TAKEN' }] },
  })
  const { id } = made.webPixel
  await shop.data(
    'mutation ($id: ID!) { webPixelUpdate(id: $id, webPixel: { settings: "{\\"account\\":\\"3\\"}" }) { userErrors { code } } }',
    { id },
  )
  t.match(await shop.data(read), { webPixel: { id, settings: { account: '3' } } })
  const remove = () =>
    shop.data('mutation ($id: ID!) { webPixelDelete(id: $id) { userErrors { code } } }', { id })
  t.match(await remove(), { webPixelDelete: { userErrors: [] } })
  t.match(await remove(), { webPixelDelete: { userErrors: [{ code: 'NOT_FOUND' }] } })
})

t.test('functions are installed once, as what they are', async t => {
  const shop = await openShopifyShop(t)
  shop.shopify.deployed.functions = [
    { handle: 'transform', target: 'cart.transform.run' },
    { handle: 'discount', target: 'cart.lines.discounts.generate.run' },
  ]
  const create = (handle: string) =>
    shop.data<{ cartTransformCreate: { cartTransform: { id: string }; userErrors: object[] } }>(
      'mutation ($h: String!) { cartTransformCreate(functionHandle: $h) { cartTransform { id functionId } userErrors { code } } }',
      { h: handle },
    )
  const code = async (handle: string) => (await create(handle)).cartTransformCreate.userErrors
  t.match(await code('nothing'), [{ code: 'FUNCTION_NOT_FOUND' }])
  t.match(await code('discount'), [{ code: 'FUNCTION_DOES_NOT_IMPLEMENT' }])
  const { cartTransform } = (await create('transform')).cartTransformCreate
  t.match(await code('transform'), [{ code: 'FUNCTION_ALREADY_REGISTERED' }])
  t.match(await shop.data('{ cartTransforms(first: 5) { nodes { id } } }'), {
    cartTransforms: { nodes: [{ id: cartTransform.id }] },
  })
  t.match(
    await shop.data(
      `mutation { cartTransformDelete(id: "${cartTransform.id}") { deletedId userErrors { code } } }`,
    ),
    { cartTransformDelete: { deletedId: cartTransform.id } },
  )
  const discount = { title: 'Price', functionHandle: 'discount', startsAt: '2020-01-01T00:00:00Z' }
  const add = (given: object) =>
    shop.data<object>(
      'mutation ($d: DiscountAutomaticAppInput!) { discountAutomaticAppCreate(automaticAppDiscount: $d) { automaticAppDiscount { discountId status } userErrors { code field } } }',
      { d: given },
    )
  t.match(await add({ ...discount, startsAt: null }), {
    discountAutomaticAppCreate: { userErrors: [{ code: 'BLANK' }] },
  })
  t.match(await add(discount), {
    discountAutomaticAppCreate: { automaticAppDiscount: { status: 'ACTIVE' }, userErrors: [] },
  })
  const list = `{ discountNodes(first: 5, query: "title:\\"Price\\"") { nodes { id discount { ... on DiscountAutomaticApp { title status } } } } }`
  const { discountNodes } = await shop.data<{ discountNodes: { nodes: { id: string }[] } }>(list)
  t.equal(discountNodes.nodes.length, 1)
  const id = discountNodes.nodes[0]!.id.replace('/DiscountNode/', '/DiscountAutomaticNode/')
  await shop.data(
    'mutation ($id: ID!) { discountAutomaticDelete(id: $id) { deletedAutomaticDiscountId userErrors { code } } }',
    { id },
  )
  t.match(await shop.data(list), { discountNodes: { nodes: [] } })
})

t.test('markets say their rounding, and the prices of their lists', async t => {
  const shop = await openShopifyShop(t)
  await shop.app.inject({
    method: 'POST',
    url: '/admin/settings/markets',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      step_GBP: '0.01',
      ending_GBP: '0',
      prices_GBP: 'ash-glaze-mug 30.00',
    }).toString(),
  })
  const { markets } = await shop.data<{
    markets: {
      nodes: {
        name: string
        currencySettings: { roundingEnabled: boolean }
        catalogs: { nodes: { priceList: { fixedPricesCount: number } }[] }
      }[]
    }
  }>(`{ markets(first: 20) { nodes { name status currencySettings { roundingEnabled baseCurrency { currencyCode } }
    catalogs(first: 5) { nodes { priceList { fixedPricesCount parent { adjustment { value } } } } } } } }`)
  const of = (name: string) => markets.nodes.find(market => market.name === name)!
  t.equal(markets.nodes.length, 6)
  t.equal(of('EUR').currencySettings.roundingEnabled, true)
  t.equal(of('CAD').currencySettings.roundingEnabled, false)
  t.equal(of('EUR').catalogs.nodes[0]!.priceList.fixedPricesCount, 0)
  t.ok(of('GBP').catalogs.nodes[0]!.priceList.fixedPricesCount > 0)
  t.match(
    await shop.data(
      '{ priceLists(first: 5) { nodes { currency prices(first: 2, originType: FIXED) { nodes { price { amount } } } } } }',
    ),
    {
      priceLists: {
        nodes: [{ currency: 'GBP', prices: { nodes: [{ price: { amount: '30.0' } }] } }],
      },
    },
  )
})

t.test('a picture is uploaded, taken in and served', async t => {
  const shop = await openShopifyShop(t)
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
  const { stagedUploadsCreate } = await shop.data<{
    stagedUploadsCreate: {
      stagedTargets: {
        url: string
        resourceUrl: string
        parameters: { name: string; value: string }[]
      }[]
    }
  }>(
    'mutation { stagedUploadsCreate(input: [{ filename: "a.png", mimeType: "image/png", resource: IMAGE, httpMethod: POST }]) { stagedTargets { url resourceUrl parameters { name value } } userErrors { message } } }',
  )
  const [target] = stagedUploadsCreate.stagedTargets
  const form = new FormData()
  for (const { name, value } of target!.parameters) form.append(name, value)
  form.append('file', new Blob([png]), 'a.png')
  const sent = new Request(target!.url, { method: 'POST', body: form })
  const upload = await shop.app.inject({
    method: 'POST',
    url: new URL(target!.url).pathname,
    headers: { 'content-type': sent.headers.get('content-type')! },
    payload: Buffer.from(await sent.arrayBuffer()),
  })
  t.equal(upload.statusCode, 201)
  const take = (source: string) =>
    shop.data<object>(
      'mutation ($f: [FileCreateInput!]!) { fileCreate(files: $f) { files { fileStatus } userErrors { code } } }',
      {
        f: [
          {
            originalSource: source,
            filename: 'a.png',
            alt: 'a',
            duplicateResolutionMode: 'REPLACE',
          },
        ],
      },
    )
  t.match(await take('https://elsewhere.example/a.png'), {
    fileCreate: { userErrors: [{ code: 'INVALID_IMAGE_SOURCE_URL' }] },
  })
  t.match(await take(target!.resourceUrl), { fileCreate: { files: [{ fileStatus: 'UPLOADED' }] } })
  const { files } = await shop.data<{ files: { nodes: { id: string; image: { url: string } }[] } }>(
    '{ files(first: 5, query: "filename:\\"a.png\\"") { nodes { id fileStatus ... on MediaImage { image { url } } } } }',
  )
  const { pathname, search } = new URL(files.nodes[0]!.image.url)
  const served = await shop.app.inject(pathname + search)
  t.same(served.rawPayload, png)
  await shop.data('mutation ($id: ID!) { fileDelete(fileIds: [$id]) { userErrors { code } } }', {
    id: files.nodes[0]!.id,
  })
  t.equal((await shop.app.inject(pathname)).statusCode, 404)
})

t.test('consent settings are the shop’s own', async t => {
  const shop = await openShopifyShop(t)
  const { scopes } = shop.shopify.settings.current()
  shop.shopify.settings.set({ scopes: [...scopes, 'read_privacy_settings'] })
  const asked = async () =>
    (
      await shop.data<{ consentPolicy: { countryCode: string }[] }>(
        '{ consentPolicy(consentRequired: true) { countryCode } privacySettings { banner { enabled } } }',
      )
    ).consentPolicy.map(({ countryCode }) => countryCode)
  t.same(await asked(), [])
  shop.pageApis.set({ privacy: true })
  t.ok((await asked()).includes('DE'))
})
