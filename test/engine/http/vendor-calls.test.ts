import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { request } from 'undici'
import { callTimeouts } from '../../../domain/call-timeouts.ts'
import { HttpProblem, VendorProblem, vendorErrors } from '../../../domain/problem.ts'
import { vendorCalls, withVendorsWithin } from '../../../engine/http/vendor-calls.ts'
import { problems } from '../../../engine/http/problems.ts'
import Fastify from 'fastify'

/** A vendor that never answers, except at /answers. */
const server = createServer((asked, answer) => {
  if (asked.url === '/answers') answer.end('yes')
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
t.teardown(() => {
  server.closeAllConnections()
  server.close()
})
const ask =
  (path: string) =>
  async (signal: AbortSignal): Promise<string> =>
    (await request(origin + path, { signal })).body.text()
const silent = { status: 504, vendor: 'shop', message: 'The shop did not answer.' }

t.test('all calls of one request together have one time', async t => {
  const call = vendorCalls('shop'),
    began = performance.now()
  await withVendorsWithin({ all: 300, each: 300 }, async () => {
    await t.rejects(call(60_000, ask('/hangs')), silent)
    await t.rejects(call(60_000, ask('/hangs')), silent, 'nothing is left for a second one')
  })
  t.ok(performance.now() - began < 30_000, 'far less than they may take in a job')
})

t.test('after its answer, a request limits nothing any more', async t => {
  const call = vendorCalls('shop')
  let later: Promise<string> | undefined
  await withVendorsWithin({ all: 1, each: 1 }, async () => {
    later = new Promise(resolve => setImmediate(resolve)).then(() => call(60_000, ask('/answers')))
  })
  t.equal(await later, 'yes')
})

t.test('a vendor that was silent is asked for a short time, until it answers', async t => {
  const call = vendorCalls('shop'),
    given: number[] = []
  const timed = (path: string) =>
    withVendorsWithin({ all: 60_000, each: callTimeouts.vendor }, () =>
      call(60_000, async signal => {
        const began = performance.now()
        return ask(path)(signal).finally(() => given.push(performance.now() - began))
      }),
    )
  await t.rejects(timed('/hangs'), silent)
  await t.rejects(timed('/hangs'), silent)
  const [first, second] = given as [number, number]
  t.ok(first >= callTimeouts.vendor - 50, `${first}`)
  t.ok(second < first, `${second} is shorter than ${first}`)
  t.equal(await timed('/answers'), 'yes')
  await t.rejects(timed('/hangs'), silent)
  t.ok(given.at(-1)! >= callTimeouts.vendor - 50, 'it has its whole time again')
})

t.test('what cannot be reached is 502, and a refusal of the vendor passes', async t => {
  const call = vendorCalls('google')
  await t.rejects(
    call(60_000, signal => request('http://127.0.0.1:9/', { signal })),
    { status: 502, vendor: 'google', message: 'Google could not be reached.' },
  )
  await t.rejects(
    call(1_000, () => Promise.reject(new HttpProblem(409, 'No.'))),
    { status: 409, message: 'No.' },
  )
})

t.test('the number of the error names the vendor', async t => {
  const app = Fastify()
  problems(app)
  app.get('/', () => {
    throw new VendorProblem('shop', 504, 'The shop did not answer.')
  })
  const { statusCode, body } = await app.inject('/')
  t.equal(statusCode, 504)
  t.match(JSON.parse(body), { error: vendorErrors.shop, message: 'The shop did not answer.' })
  await app.close()
})
