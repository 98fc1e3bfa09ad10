import { readFileSync } from 'node:fs'
import t from 'tap'
import { listedTests } from '../../../bench/listed-tests.ts'
import { startMerchant } from '../support/merchant.ts'

const merchant = await startMerchant()
const {
  engine: { db, now },
  get,
  call,
} = merchant
t.teardown(merchant.close)
const { id: storeId } = await call('storeInfo', {})

t.test('lists of fifty tests or drafts have a first load of at most 32 kB', async t => {
  await listedTests(db, storeId, 50, now.at)
  await listedTests(db, storeId, 50, now.at, 'Ended')
  for (let n = 1; n <= 50; n++)
    await call('createDraft', { body: { kind: 'PageElement', title: `Louder button, idea ${n}` } })
  const manifest = JSON.parse(readFileSync('public/built/app/manifest.json', 'utf8')) as Record<
    string,
    string
  >
  const files = ['app.css', 'page.js', 'logo.svg'].reduce(
    (sum, name) => sum + readFileSync(`public/built/app/${manifest[name]}.br`).length,
    0,
  )
  for (const url of ['/', '/tests/list/ended', '/tests/list/drafts']) {
    const { rawPayload, headers } = await merchant.app.app.inject({
      url,
      headers: {
        cookie: merchant.cookies(),
        host: 'localhost:3000',
        'accept-encoding': 'gzip, deflate, br, zstd',
      },
    })
    t.equal((await get(url)).body.match(/<tr role="row">/g)?.length, 50, url)
    t.equal(headers['content-encoding'], 'br')
    t.ok(files + rawPayload.length <= 32_000, `${url} ${files} + ${rawPayload.length}`)
  }
  const { body } = await get('/')
  const [, tenth] = /<link rel="expect" href="#([^"]+)" blocking="render">/.exec(body)!
  t.equal(
    body.split('<tr ').findIndex(row => row.includes(` id="${tenth}"`)),
    1 + 10,
    'the head’s row is the first',
  )
  t.notMatch((await get('/tests/list/paused')).body, 'rel="expect"', 'a short list does not wait')
})
