import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { findChromium, openChromium } from '../../../engine/browser/chromium.ts'

// Chromium can be slow on a busy machine.
t.setTimeout(300_000)
const path = findChromium(process.env['CHROMIUM_PATH'])

t.test(
  'a page that a script leaves while it loads is not waited for',
  { skip: !path && 'no Chromium here' },
  async t => {
    let heldUntilLeft = (): void => {}
    const isLeft = new Promise<void>(resolve => (heldUntilLeft = resolve))
    const server = createServer(({ url = '' }, response) => {
      // The picture of the page that is left comes only when nobody waits for it any more.
      if (url === '/held.svg') return void isLeft.then(() => response.end())
      response.setHeader('content-type', 'text/html')
      response.end(
        url === '/'
          ? '<!doctype html><body><img src="/held.svg"><script>setTimeout(() => location.replace("/next"), 100)</script>'
          : '<!doctype html><body><h1>The next page</h1>',
      )
    })
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
    const chromium = await openChromium({
      path: path!,
      sandbox: 'auto',
      launcher: undefined,
      resolverRules: 'EXCLUDE localhost,MAP * ~NOTFOUND',
      signal: new AbortController().signal,
    })
    t.teardown(async () => {
      heldUntilLeft()
      await chromium.close()
      server.close()
      server.closeAllConnections()
    })
    const seen = await chromium.look(
      {
        url: `http://localhost:${(server.address() as AddressInfo).port}/`,
        width: 1280,
        height: 800,
        isPhone: false,
        // Longer than this test may take: it ends only by the page's rest.
        longest: 1_000_000,
        mayFetch: () => true,
        answer: async () => null,
      },
      ['h1'],
    )
    t.match(seen, { end: '/next', found: { h1: 1 } })
  },
)
