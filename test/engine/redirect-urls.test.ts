import t from 'tap'
import { isPublicAddress, publicLookup } from '../../engine/public-hosts.ts'
import { shopPath } from '../../engine/redirect-urls.ts'

const hosts = { shop: 'fern-and-kiln.demo-shop.test', domain: 'fernandkiln.com', origin: 'https://fernandkiln.com' }

t.test('pages of the shop’s own hosts become paths', t => {
  const cases: [string, string][] = [
    ['/pages/a', '/pages/a'], ['/', '/'], ['/a?b=c&d=e#f', '/a?b=c&d=e#f'], [' /a ', '/a'],
    ['https://fernandkiln.com/a', '/a'], ['https://FERNANDKILN.com/a', '/a'], ['https://fern-and-kiln.demo-shop.test/a', '/a'], ['https://fernandkiln.com', '/'],
    ['/a/../../b', '/b'],
  ]
  for (const [text, path] of cases) t.equal(shopPath(text, hosts), path, text)
  t.end()
})

t.test('anything else is none', t => {
  for (const text of [
    '', 'a', 'pages/a', '?a', '#a', '//evil.test', '///evil.test', '/\\evil.test', '\\\\evil.test', '/\t/evil.test', '/a\nb', '/a b', 'https:/\\evil.test', 'https://evil.test/a',
    'http://fernandkiln.com/a', 'https://fernandkiln.com:8443/a', 'https://user@fernandkiln.com/a', 'https://fernandkiln.com@evil.test/', 'https://fernandkiln.com.evil.test/', 'https://evil.test#fernandkiln.com',
    'javascript:alert(1)', 'data:text/html,x', 'ftp://fernandkiln.com/a', 'file:///etc/passwd', 'https://127.0.0.1/', 'https://[::1]/', 'http://localhost/a', 'https://',
  ]) t.equal(shopPath(text, hosts), null, JSON.stringify(text))
  t.equal(shopPath('http://localhost:3002/a', { ...hosts, origin: 'http://localhost:3002' }), '/a', 'http on this machine')
  t.equal(shopPath('http://localhost:9/a', { ...hosts, origin: 'http://localhost:3002' }), null, 'but not on another port')
  t.end()
})

t.test('addresses inside are not public, however they are written', t => {
  for (const address of ['127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '255.255.255.255', '224.0.0.1', '::1', '::', 'fc00::1', 'fd12::1', 'fe80::1', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '64:ff9b::7f00:1', 'localhost', ''])
    t.equal(isPublicAddress(address), false, address)
  for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8']) t.equal(isPublicAddress(address), true, address)
  t.end()
})

t.test('a name that leads inside is refused when it is looked up', async t => {
  const error = await new Promise<NodeJS.ErrnoException | null>(resolve => publicLookup('localhost', {}, resolve))
  t.equal(error?.code, 'ENOTPUBLIC')
})
