import t from 'tap'
import { openShopifyShop } from './shopify-shop.ts'

const main = 'gid://shopify/OnlineStoreTheme/160001'
const upsert = `mutation ($files: [OnlineStoreThemeFilesUpsertFileInput!]!) {
  themeFilesUpsert(themeId: "${main}", files: $files) { upsertedThemeFiles { filename } userErrors { code filename message } }
}`
const template = JSON.stringify({ sections: {}, order: [] })
const file = (filename: string, value = template) => ({ filename, body: { type: 'TEXT', value } })

t.test('themes and their files are read by name and by pattern', async t => {
  const shop = await openShopifyShop(t)
  const { themes } = await shop.data<{ themes: { nodes: object[] } }>(
    '{ themes(first: 10) { nodes { id name role processing } } }',
  )
  t.match(themes.nodes, [{ id: main, role: 'MAIN', processing: false }, { role: 'UNPUBLISHED' }])
  const { theme } = await shop.data<{
    theme: { files: { nodes: { filename: string }[]; userErrors: object[] } }
  }>(
    `{ theme(id: "${main}") { files(filenames: ["templates/product*.json", "templates/none.json"], first: 50) {
      nodes { filename body { ... on OnlineStoreThemeFileBodyText { content } } } userErrors { code filename } } } }`,
  )
  t.ok(theme.files.nodes.every(({ filename }) => filename.startsWith('templates/product')))
  t.match(theme.files.userErrors, [{ code: 'NOT_FOUND', filename: 'templates/none.json' }])
  t.same(await shop.data(`{ theme(id: "gid://shopify/OnlineStoreTheme/9") { id } }`), {
    theme: null,
  })
})

t.test('an app without the exemption writes nothing to a theme', async t => {
  const shop = await openShopifyShop(t)
  const { scopes } = shop.shopify.settings.current()
  shop.shopify.settings.set({ scopes: [...scopes, 'write_themes'] })
  const { body } = await shop.ask(upsert, { files: [file('templates/product.b.json')] })
  t.match(body.errors?.[0], { message: /exemption/, extensions: { code: 'ACCESS_DENIED' } })
})

t.test('with the exemption, a file that is refused leaves the others written', async t => {
  const shop = await openShopifyShop(t, { settings: { themeWrites: true } })
  const written = await shop.data<object>(upsert, {
    files: [file('templates/product.b.json'), file('templates/product.c.json', 'no JSON')],
  })
  t.match(written, {
    themeFilesUpsert: {
      upsertedThemeFiles: [{ filename: 'templates/product.b.json' }],
      userErrors: [{ code: 'FILE_VALIDATION_ERROR', filename: 'templates/product.c.json' }],
    },
  })
  const removed = await shop.data<object>(
    `mutation { themeFilesDelete(themeId: "${main}", files: ["templates/product.b.json", "templates/product.z.json"]) {
      deletedThemeFiles { filename } userErrors { code filename } } }`,
  )
  t.match(removed, {
    themeFilesDelete: {
      deletedThemeFiles: [{ filename: 'templates/product.b.json' }],
      userErrors: [{ code: 'NOT_FOUND', filename: 'templates/product.z.json' }],
    },
  })
})

t.test('a theme that is still being made takes no files', async t => {
  const shop = await openShopifyShop(t, {
    settings: { themeWrites: true, processingThemes: ['160001'] },
  })
  t.match(await shop.data(`{ theme(id: "${main}") { processing } }`), {
    theme: { processing: true },
  })
  t.match(await shop.data(upsert, { files: [file('templates/product.b.json')] }), {
    themeFilesUpsert: { userErrors: [{ code: 'THEME_FILES_CONFLICT' }] },
  })
})

t.test('experiments of the platform are known only where they are switched on', async t => {
  const shop = await openShopifyShop(t)
  const read = '{ rollouts(first: 5) { nodes { name status themes { id } } } }'
  t.match((await shop.ask(read)).body.errors?.[0]?.message, /Cannot query field/)
  const { scopes } = shop.shopify.settings.current()
  shop.shopify.settings.set({ rollouts: true })
  t.match((await shop.ask(read)).body.errors?.[0]?.extensions, { code: 'ACCESS_DENIED' })
  shop.shopify.settings.set({ scopes: [...scopes, 'read_rollouts'] })
  t.same(await shop.data(read), { rollouts: { nodes: [] } })
  shop.capabilities.set({ nativeExperiments: true })
  shop.experiments.start('Spring', '160002')
  t.match(await shop.data(read), {
    rollouts: { nodes: [{ name: 'Spring', status: 'ACTIVE', themes: [{ id: /160002/ }] }] },
  })
})
