import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { like } from '../../support/like.ts'
import { startWithShop } from '../../support/with-shop.ts'

const { call, shop, close } = await startWithShop()
t.teardown(close)

t.test('an audience that is deleted while a launch is checked stops the launch', async t => {
  const { id: audience } = await call('createAudience', {
    body: { name: 'From search', values: { 2: { operator: 'Equals', value: 'search' } } },
  })
  const { id } = await call('createDraft', {
    body: {
      kind: 'UrlRedirect',
      title: 'For some',
      controlUrl: '/pages/gift-guide',
      redirectUrl: '/pages/about',
      audienceIds: [audience],
    },
  })
  const { server } = shop.app,
    emit = server.emit.bind(server)
  let asked = 0
  // Its pages are looked for after its audiences.
  server.emit = (name: string, ...given: unknown[]) => {
    const [request] = given as [IncomingMessage]
    if (name !== 'request' || request.url !== '/pages/about' || asked++ > 0)
      return emit(name, ...given)
    void call('deleteAudience', { params: { id: audience } }).then(() => emit(name, ...given))
    return true
  }
  t.teardown(() => {
    server.emit = emit
  })
  await t.rejects(
    call('launchDraft', { params: { id } }),
    like({ status: 400, problem: { fields: [{ field: 'audienceIds.0' }] } }),
  )
  t.equal(asked > 0, true)
  t.match(await call('draft', { params: { id } }), { title: 'For some' }, 'the draft stays')
})
