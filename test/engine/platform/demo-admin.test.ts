import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { Agent } from 'undici'
import { vendorCalls } from '../../../engine/http/vendor-calls.ts'
import { demoAdmin, maxAnswer } from '../../../engine/platform/demo/demo-admin.ts'
import { demoThemes } from '../../../engine/platform/demo/demo-themes.ts'

/** The admin client of a shop that answers each request with `answers`. */
async function shopThat(answers: (response: ServerResponse) => void) {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    answers(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent()
  t.teardown(async () => {
    await agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return demoAdmin({
    ask: vendorCalls('shop'),
    shopOrigin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    withToken: call => call('a token'),
    agent,
  })
}

t.test('an answer of the shop that is too large is refused', async t => {
  const part = Buffer.alloc(1024 * 1024, ' ')
  const admin = await shopThat(response => {
    response.on('error', () => {})
    for (let sent = 0; sent <= maxAnswer; sent += part.length) response.write(part)
    response.end('{}')
  })
  await t.rejects(admin.get('/admin/api/themes.json'), {
    status: 502,
    message: 'The shop’s answer is too large.',
  })
})

t.test('whole folders are read one at a time', async t => {
  const asked: ServerResponse[] = []
  let most = 0
  const themes = demoThemes(
    await shopThat(response => {
      most = Math.max(most, asked.push(response))
      // A request that does not wait for this one arrives within 50 turns of the event loop.
      const wait = (turns: number): void =>
        void setImmediate(() => {
          if (turns > 0) return wait(turns - 1)
          asked.pop()
          response.end('[]')
        })
      wait(50)
    }),
    'http://shop.localhost',
  )
  await Promise.all(
    Array.from({ length: 4 }, () => themes.themeFiles('shop', '160001', ['templates/'])),
  )
  t.equal(most, 1)
})
