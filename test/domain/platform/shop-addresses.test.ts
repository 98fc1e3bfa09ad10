import t from 'tap'
import { Compile } from 'typebox/compile'
import { policyOrigin, ShopAddresses } from '../../../domain/platform/shop-addresses.ts'

const good: ShopAddresses = {
  admin: 'https://admin.example/store/fern',
  app: 'https://admin.example/store/fern/apps/twinshelf',
  session: null,
  settings: 'https://admin.example/store/fern/settings',
  themes: 'http://localhost:3002/admin/themes?of=live',
  addressMessage: null,
  tokenMessage: null,
  adminScript: null,
  frameAncestors: ['https://admin.example', 'http://[::1]:3002'],
  adminOrigins: ['https://admin.example'],
  scripts: [],
  images: ['https://cdn.example'],
  frames: [],
}
const check = Compile(ShopAddresses)

t.test('an origin in a policy is plain', async t => {
  t.ok(check.Check(good))
  for (const origin of [
    '*',
    'https:',
    'https://*.example',
    'https://a.example b.example',
    'https://a.example;',
    'https://a.example,https://b.example',
    'https://a.example/path',
    "'unsafe-inline'",
    'data:',
    'https://a.example\n',
    'javascript:alert(1)',
  ])
    t.notOk(check.Check({ ...good, frameAncestors: [origin] }), JSON.stringify(origin))
})

t.test('an address is a link to a page of the web', async t => {
  for (const app of [
    'javascript:alert(1)',
    '//a.example/x',
    '/admin',
    'https://a.example/"onclick="x',
    'https://a.example/<script>',
    'https://a.example/\r\nx-header: 1',
    'https://user@a.example/',
  ])
    t.notOk(check.Check({ ...good, app }), JSON.stringify(app))
})

t.test('the origin of a shop’s address is plain, or none', async t => {
  for (const [address, origin] of [
    ['https://shop.example/a?b#c', 'https://shop.example'],
    ['http://LOCALHOST:3002', 'http://localhost:3002'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://*.example', null],
    ['https://shop.example; script-src *', null],
    ['data:text/html,x', null],
    ['javascript:alert(1)', null],
    ['', null],
  ] as const)
    t.equal(policyOrigin(address), origin, address)
})
