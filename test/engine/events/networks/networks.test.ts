import t from 'tap'
import { networkHash, networkOf } from '../../../../engine/events/networks/networks.ts'

t.test(
  'the network of an address is its /24 or /48 (6to4: of the IPv4 address); a private address has none',
  async t => {
    for (const [address, network] of [
      ['203.0.113.9', '203.0.113'],
      ['::ffff:203.0.113.9', '203.0.113'],
      ['2a00:0DB8:1:2::5', '2a00:db8:1'],
      ['2a00:db8:1:2:3:4:5:6', '2a00:db8:1'],
      ['2a00::1', '2a00:0:0'],
      ['2002:cb00:7109::1', '203.0.113'],
      ['2002:CB00:7142:9::', '203.0.113'],
      ['2002:a01:203::1', null],
      ['10.1.2.3', null],
      ['127.0.0.1', null],
      ['::ffff:127.0.0.1', null],
      ['192.168.7.7', null],
      ['::1', null],
      ['fe80::1', null],
      ['fd00::1', null],
      ['nonsense', null],
      ['', null],
    ] as const)
      t.equal(networkOf(address), network, address)
  },
)

t.test('the hash of a network does not show its address, and differs in each shop', async t => {
  const hash = networkHash('a secret of sixteen'),
    name = hash('store-a', '203.0.113.9')
  t.match(name, /^[\w-]{22}$/)
  t.equal(hash('store-a', '203.0.113.200'), name)
  t.not(hash('store-a', '203.0.114.9'), name)
  t.not(hash('store-b', '203.0.113.9'), name)
  t.not(networkHash('another secret here')('store-a', '203.0.113.9'), name)
  t.equal(hash('store-a', '10.0.0.1'), null)
})
