import t from 'tap'
import { startMerchant, textOf } from '../support/merchant.ts'

const {
  engine: { shop },
  get,
  post,
  call,
  close,
} = await startMerchant()
t.teardown(close)
const id = (await post('/tests/draft/edit', { kind: 'PageElement' })).headers
  .location!.split('/')
  .at(-1)!
  .split('?')[0]!
const asked = (urlPatterns: string, draft = id) =>
  get(`/tests/draft/edit/${draft}/matches?${new URLSearchParams({ urlPatterns })}`)

t.test(
  'the pages that match are listed pattern by pattern, and listing them stores nothing',
  async t => {
    const found = await asked(`/products/*\n${shop.origin}/\n/nowhere/*`)
    t.equal(found.statusCode, 200)
    const words = textOf(found.body)
    t.match(words, /3 of 5 pages match/)
    t.match(words, /\/products\/\* 2 pages/)
    t.match(words, /\/ 1 page/)
    t.match(words, /\/nowhere\/\* No page of the shop matches/)
    t.match(found.headers['content-security-policy'], /frame-ancestors/)
    t.same((await call('draft', { params: { id } })).domSelectors, [])
  },
)

t.test('unmatched, invalid and hostile patterns have a message', async t => {
  t.match(textOf((await asked('/never')).body), /No page of the shop matches/)
  t.match(textOf((await asked('https://evil.example/*')).body), /is not a page of your shop/)
  t.match(
    textOf((await asked(Array.from({ length: 21 }, (_, i) => `/${i}`).join('\n'))).body),
    /at most 20 addresses/,
  )
  const hostile = (await asked('/<script>alert(1)</script>')).body
  t.notMatch(hostile, '<script>alert')
  t.equal((await asked('')).statusCode, 200)
})

t.test('an unknown draft has no list of pages', async t => {
  t.equal((await asked('/', '5b0e2a52-9c4b-4f3a-8a55-6a1f0c7d9e21')).statusCode, 404)
  t.equal((await asked('/', 'nonsense')).statusCode, 404)
})

t.test(
  'the pages step requests the list while the merchant types, and shows it without scripts',
  async t => {
    await post(`/tests/draft/edit/${id}?step=pages`, {
      act: 'save',
      title: 'Live',
      urlPatterns: '/products/*\n/never',
    })
    const { body } = await get(`/tests/draft/edit/${id}?step=pages`)
    t.match(body, new RegExp(`hx-get="/tests/draft/edit/${id}/matches[^"]*"`))
    t.match(textOf(body), /2 of 5 pages match/)
  },
)

t.test(
  'a change that would run code is refused at its field, and the form keeps the text',
  async t => {
    const change = {
      changes: '1',
      'changes.0.selector': '.buy',
      'changes.0.kind': 'html',
      'changes.0.value': '<img src=x onerror=alert(1)>',
      'changes.0.name': '',
    }
    const refused = await post(`/tests/draft/edit/${id}?step=changes`, { act: 'save', ...change })
    t.equal(refused.statusCode, 422)
    t.match(textOf(refused.body), /onerror would run code on the shop’s page/)
    t.notMatch(refused.body, '<img src=x')
    const whole = await post(`/tests/draft/edit/${id}?step=changes`, {
      act: 'save',
      ...change,
      'changes.0.selector': '*',
      'changes.0.value': '<b>x</b>',
    })
    t.match([whole.statusCode, textOf(whole.body)], [422, /This is the whole page/])
    t.same(
      (await call('draft', { params: { id } })).domSelectors.flatMap(s => s.actions),
      [],
    )
  },
)
