import t from 'tap'
import { openShopifyShop } from './shopify-shop.ts'

type List = { nodes: { id: string; handle: string; updatedAt: string }[] }

t.test('collections, pages, blogs and articles are read and get templates', async t => {
  const shop = await openShopifyShop(t)
  const facts = 'nodes { id handle title templateSuffix updatedAt }'
  const found = await shop.data<Record<string, List>>(
    `{ collections(first: 5) { ${facts} } pages(first: 5) { ${facts} } blogs(first: 5) { ${facts} } articles(first: 5) { ${facts} } }`,
  )
  const calls = {
    collections: (id: string) =>
      `collectionUpdate(collection: { id: "${id}", templateSuffix: "wide" }) { collection { id } userErrors { message } }`,
    pages: (id: string) =>
      `pageUpdate(id: "${id}", page: { templateSuffix: "wide" }) { page { id } userErrors { code } }`,
    blogs: (id: string) =>
      `blogUpdate(id: "${id}", blog: { templateSuffix: "wide" }) { blog { id } userErrors { code } }`,
    articles: (id: string) =>
      `articleUpdate(id: "${id}", article: { templateSuffix: "wide" }) { article { id } userErrors { code } }`,
  }
  for (const [list, call] of Object.entries(calls)) {
    const [first] = found[list]!.nodes
    t.ok(first, list)
    await shop.data(`mutation { ${call(first!.id)} }`)
    const type = /gid:\/\/shopify\/(\w+)/.exec(first!.id)![1]
    const { node } = await shop.data<{ node: { templateSuffix: string; updatedAt: string } }>(
      `query { node(id: "${first!.id}") { ... on ${type} { templateSuffix updatedAt } } }`,
    )
    t.equal(node.templateSuffix, 'wide')
    t.not(node.updatedAt, first!.updatedAt, 'it has changed')
  }
  t.match(
    await shop.data(
      'mutation { pageUpdate(id: "gid://shopify/Page/1", page: { templateSuffix: "a" }) { userErrors { code } } }',
    ),
    { pageUpdate: { userErrors: [{ code: 'NOT_FOUND' }] } },
  )
})

t.test('a redirect is made once, found by its path, and deleted', async t => {
  const shop = await openShopifyShop(t)
  const create = (path: string, target: string) =>
    shop.data<{ urlRedirectCreate: { urlRedirect: { id: string } | null; userErrors: object[] } }>(
      'mutation ($r: UrlRedirectInput!) { urlRedirectCreate(urlRedirect: $r) { urlRedirect { id } userErrors { code field } } }',
      { r: { path, target } },
    )
  const { urlRedirectCreate: made } = await create('/pages/gone', '/pages/faq')
  t.same(made.userErrors, [])
  t.match((await create('/pages/gone', '/pages/faq')).urlRedirectCreate, {
    urlRedirect: null,
    userErrors: [{ code: 'CREATE_FAILED', field: ['urlRedirect', 'path'] }],
  })
  const list = () =>
    shop.data('{ urlRedirects(first: 5, query: "path:/pages/gone") { nodes { id target } } }')
  t.match(await list(), { urlRedirects: { nodes: [{ target: '/pages/faq' }] } })
  const remove = () =>
    shop.data(
      'mutation ($id: ID!) { urlRedirectDelete(id: $id) { deletedUrlRedirectId userErrors { code } } }',
      { id: made.urlRedirect!.id },
    )
  t.match(await remove(), { urlRedirectDelete: { userErrors: [] } })
  t.match(await remove(), { urlRedirectDelete: { userErrors: [{ code: 'DOES_NOT_EXIST' }] } })
  t.match(await list(), { urlRedirects: { nodes: [] } })
})
