import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { pinned } from '../../scripts/pin.ts'

t.test('a release names the base image by its digest', async t => {
  const digest = `sha256:${'ab'.repeat(32)}`,
    asked: string[] = []
  // A registry like Docker's: it first sends every client to get a token.
  const server = createServer(({ method, url, headers }, response) => {
    asked.push(`${method} ${url}`)
    if (url!.startsWith('/token')) return void response.end(JSON.stringify({ token: 'leave' }))
    if (headers.authorization !== 'Bearer leave')
      return void response
        .writeHead(401, {
          'www-authenticate': `Bearer realm="${registry}/token",service="registry",scope="repository:library/node:pull"`,
        })
        .end()
    if (!url!.includes('24.21.0')) return void response.writeHead(404).end()
    response.writeHead(200, { 'docker-content-digest': digest }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const file =
    '# why\nFROM node:24.21.0-bookworm-slim AS build\nRUN a\n\nFROM node:24.21.0-bookworm-slim@sha256:old\nCOPY --from=build a b\nFROM build\n'
  const done = `# why\nFROM node:24.21.0-bookworm-slim@${digest} AS build\nRUN a\n\nFROM node:24.21.0-bookworm-slim@${digest}\nCOPY --from=build a b\nFROM build\n`
  t.equal(await pinned(file, registry), done)
  t.equal(await pinned(done, registry), done, 'pinning again changes nothing')
  t.same(asked.slice(0, 3), [
    'HEAD /v2/library/node/manifests/24.21.0-bookworm-slim',
    'GET /token?service=registry&scope=repository%3Alibrary%2Fnode%3Apull',
    'HEAD /v2/library/node/manifests/24.21.0-bookworm-slim',
  ])
  await t.rejects(pinned('FROM node:1.0.0', registry), {
    message: /does not say which image node:1\.0\.0 is \(status 404\)/,
  })
})
