import t from 'tap'
import { addressHeaderProblem, readEdgeAddress } from '../../../domain/events/client-address.ts'

t.test(
  'the edge’s client address replaces addresses that others wrote; an invalid address changes nothing',
  async t => {
    const read = (told: string | string[] | undefined) => {
      const headers: Record<string, string | string[] | undefined> = {
        'x-forwarded-for': '9.9.9.9, 10.0.0.1',
        'fly-client-ip': told,
      }
      readEdgeAddress(headers, 'fly-client-ip')
      return headers['x-forwarded-for']
    }
    for (const address of ['203.0.113.7', '2001:db8::7', '::ffff:1.2.3.4'])
      t.equal(read(` ${address} `), address)
    for (const told of [
      undefined,
      '',
      'unknown',
      '300.1.1.1',
      '1.2.3',
      '127.1',
      '203.0.113.7, 1.2.3.4',
      '203.0.113.7:80',
      'a:b',
      ['203.0.113.7', '1.2.3.4'],
    ])
      t.equal(read(told), '9.9.9.9, 10.0.0.1', String(told))
  },
)

t.test('the header of the client’s address needs TRUST_PROXY to be set', async t => {
  t.match(addressHeaderProblem({ CLIENT_IP_HEADER: 'fly-client-ip' }), /TRUST_PROXY/)
  t.same(
    [
      addressHeaderProblem({ CLIENT_IP_HEADER: 'fly-client-ip', TRUST_PROXY: '10.0.0.0/8' }),
      addressHeaderProblem({ TRUST_PROXY: '10.0.0.0/8' }),
      addressHeaderProblem({}),
    ],
    [null, null, null],
  )
})
