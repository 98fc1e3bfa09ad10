import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { request } from 'undici'
import {
  isPublicAddress,
  publicAgent,
  publicLookup,
  type Resolve,
} from '../../../engine/http/public-hosts.ts'
import { rulesFor } from '../../../engine/browser/shop-browser.ts'
import { demoPlatform } from '../../../engine/platform/demo/demo.ts'
import { addressOn, requirePage, shopPath } from '../../../engine/drafts/redirect-urls.ts'
import { ownPath } from '../../../domain/stores/own-address.ts'
import { appKey, appSecret, smallShop } from '../support/small-shop.ts'

const hosts = {
  shop: 'fern-and-kiln.demo-shop.test',
  domain: 'fernandkiln.com',
  origin: 'https://fernandkiln.com',
}

t.test('pages of the shop’s own hosts become paths', t => {
  const cases: [string, string][] = [
    ['/pages/a', '/pages/a'],
    ['/', '/'],
    ['/a?b=c&d=e#f', '/a?b=c&d=e#f'],
    [' /a ', '/a'],
    ['https://fernandkiln.com/a', '/a'],
    ['https://FERNANDKILN.com/a', '/a'],
    ['https://fern-and-kiln.demo-shop.test/a', '/a'],
    ['https://fernandkiln.com', '/'],
    ['/a/../../b', '/b'],
  ]
  for (const [text, path] of cases) t.equal(shopPath(text, hosts), path, text)
  t.end()
})

t.test('any other address gives null', t => {
  for (const text of [
    '',
    'a',
    'pages/a',
    '?a',
    '#a',
    '//evil.test',
    '///evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    '/\t/evil.test',
    '/a\nb',
    '/a b',
    'https:/\\evil.test',
    'https://evil.test/a',
    'http://fernandkiln.com/a',
    'https://fernandkiln.com:8443/a',
    'https://user@fernandkiln.com/a',
    'https://fernandkiln.com@evil.test/',
    'https://fernandkiln.com.evil.test/',
    'https://evil.test#fernandkiln.com',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://fernandkiln.com/a',
    'file:///etc/passwd',
    'https://127.0.0.1/',
    'https://[::1]/',
    'http://localhost/a',
    'https://',
  ])
    t.equal(shopPath(text, hosts), null, JSON.stringify(text))
  t.equal(
    shopPath('http://localhost:3002/a', { ...hosts, origin: 'http://localhost:3002' }),
    '/a',
    'http is allowed on this machine',
  )
  t.equal(
    shopPath('http://localhost:9/a', { ...hosts, origin: 'http://localhost:3002' }),
    null,
    'but not on another port',
  )
  t.end()
})

t.test('an address that parsers read differently is a path of the shop, or null', t => {
  const { cases } = JSON.parse(readFileSync('test/cases/url-confusions.json', 'utf8')) as {
    cases: { why: string; text: string; path: string | null }[]
  }
  for (const { why, text, path } of cases) {
    t.equal(shopPath(text, hosts), path, why)
    // A request resolves the path to an address, and the HTTP client parses that address again.
    if (path !== null)
      t.equal(
        new URL(new URL(addressOn(hosts, path)).pathname, hosts.origin).origin,
        hosts.origin,
        `${why}: the host of the request`,
      )
    if (path === null && text.startsWith('/'))
      t.equal(ownPath(text), null, `${why}: no path of the app either`)
    // An earlier version stored "/.//host" as "//host".
    const folded = URL.parse(text, hosts.origin)?.pathname ?? ''
    if (path === null && folded.startsWith('//'))
      t.throws(
        () => addressOn(hosts, folded),
        /another site/,
        `${why}: as an earlier version stored it`,
      )
  }
  t.end()
})

t.test('private addresses are not public in any notation', t => {
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '224.0.0.1',
    '::1',
    '::',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '::127.0.0.1',
    '2001:0:7f00:1::',
    'fec0::1',
    'localhost',
    '',
  ])
    t.equal(isPublicAddress(address), false, address)
  for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])
    t.equal(isPublicAddress(address), true, address)
  t.end()
})

t.test('a host name with a private address is refused when it is looked up', async t => {
  const error = await new Promise<NodeJS.ErrnoException | null>(resolve =>
    publicLookup()('localhost', {}, resolve),
  )
  t.equal(error?.code, 'ENOTPUBLIC')
})

t.test(
  'when a second lookup of a name would give a private address, we connect to the checked address or not at all',
  async t => {
    let reached = 0
    const inside = createServer((_, response) => {
      reached++
      response.end('inside')
    }).listen(0, '127.0.0.1')
    await once(inside, 'listening')
    t.teardown(() => inside.close())
    const url = `http://rebound.example:${(inside.address() as AddressInfo).port}/`
    let asked = 0
    const gone = new AbortController()
    // The first lookup gives a public address, every later one gives this machine.
    const rebinding: Resolve = (_, options, callback) => {
      asked++
      setImmediate(() => gone.abort())
      callback(
        null,
        asked === 1
          ? [{ address: '93.184.216.34', family: 4 }]
          : [{ address: '127.0.0.1', family: 4 }],
      )
    }
    const agent = publicAgent(rebinding)
    t.teardown(() => agent.destroy())
    await t.rejects(
      request(url, { dispatcher: agent, signal: gone.signal }),
      'the connection goes to the public address and is aborted',
    )
    t.same([asked, reached], [1, 0], 'a connection looks the name up once and uses that answer')
    await t.rejects(
      request(url, { dispatcher: agent }),
      { code: 'ENOTPUBLIC' },
      'the next connection looks the name up and checks it again',
    )
    const both: Resolve = (_, options, callback) =>
      callback(null, [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ])
    await t.rejects(
      request(url, { dispatcher: publicAgent(both) }),
      { code: 'ENOTPUBLIC' },
      'one private address among several is refused',
    )
    t.equal(reached, 0)

    const shop = { shop: 'own.example', domain: 'own.example', origin: 'https://own.example' }
    asked = 0
    t.equal(
      await rulesFor(shop, rebinding),
      'MAP own.example 93.184.216.34,MAP * ~NOTFOUND',
      'the browser gets the address, so it looks nothing up',
    )
    t.equal(asked, 1)
    t.equal(
      await rulesFor(shop, rebinding),
      'MAP * ~NOTFOUND',
      'a name with a private address gets no rule',
    )
  },
)

t.test(
  'an address that redirects is refused, and the error says where it leads: on, in a circle or away',
  async t => {
    const shop = await smallShop()
    const platform = demoPlatform({ appKey, appSecret, shopOrigin: shop.origin })
    t.teardown(async () => {
      await platform.close()
      await shop.close()
    })
    const own = { ...hosts, origin: shop.origin }
    const message = (path: string) =>
      requirePage(platform, own, path, 'redirectUrl').then(
        () => null,
        (error: Error) => error.message,
      )
    t.equal(await message('/products/mug'), null)
    t.equal(
      await message('/redirecting'),
      'This address redirects to another: /redirecting → /products/mug. Enter /products/mug instead.',
    )
    t.equal(
      await message('/round'),
      'This address redirects in a circle: /round → /and-round → /round. Enter a page that does not redirect.',
    )
    t.equal(
      await message('/elsewhere'),
      'This address leads to another site. Name a page of your own shop.',
    )
    t.match(
      await message('/steps/1'),
      /^This address redirects many times: \/steps\/1 → .* → … Enter the last page instead\.$/,
    )
    t.equal(await message('/nowhere'), 'The shop has no page at this address.')
  },
)
