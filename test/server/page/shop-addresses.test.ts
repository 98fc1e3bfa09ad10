import t from 'tap'
import { buildApp } from '../../../server/app.ts'
import { appConfig } from '../../../server/config.ts'
import { json, smallUpstream } from '../support/small-upstream.ts'

const admin = 'https://admin.example'
const entrance = { admin, app: `${admin}/apps/twinshelf`, session: null }
const of = (shop: string, frameAncestors = [admin]) => ({
  ...entrance,
  settings: `${admin}/${shop}/settings`,
  themes: `${admin}/${shop}/themes`,
  addressMessage: null,
  tokenMessage: null,
  adminScript: null,
  frameAncestors,
  adminOrigins: [admin],
  scripts: [],
  images: [],
  frames: [],
})
const path = '/api/v0/addresses'

/** An app with an API that answers as the test says, and a function that reads who may frame. */
async function started() {
  const api = await smallUpstream()
  const now = { at: new Date('2026-11-24T12:00:00Z') }
  const { app, close } = await buildApp({
    config: appConfig({}),
    upstreamOrigin: api.origin,
    clock: () => now.at,
    timeouts: { firstWait: 5, longestWait: 20 },
  })
  t.teardown(async () => {
    await close()
    api.close()
  })
  return {
    api,
    later: (minutes: number) => {
      now.at = new Date(now.at.getTime() + minutes * 60_000)
    },
    ancestors: async (url: string) => {
      const { headers, statusCode } = await app.inject(url)
      const policy = String(headers['content-security-policy'])
      return [statusCode, /frame-ancestors ([^;]+)/.exec(policy)?.[1]]
    },
  }
}
const entrances = [{ label: 'Shops', ...entrance }]

t.test('addresses of a shop are asked once a minute, and stay while the API is down', async t => {
  const { api, later, ancestors } = await started()
  api.answers[path] = (_, r) => json(r, { shop: of('one'), entrances })
  for (let i = 0; i < 3; i++)
    t.same(await ancestors('/auth-missing?shop=one.example'), [401, admin])
  t.equal(api.asked.length, 1)
  later(2)
  t.same(await ancestors('/auth-missing?shop=one.example'), [401, admin])
  t.equal(api.asked.length, 2)
  later(2)
  api.answers[path] = (_, r) => json(r, { message: 'Down.' }, 503)
  t.same(await ancestors('/auth-missing?shop=one.example'), [401, admin], 'what it said last')
  t.same(await ancestors('/auth-missing?shop=two.example'), [401, "'none'"])
  const asked = api.asked.length
  t.equal(asked, 4, 'a page does not wait for further attempts')
})

t.test('a page of a failed API does not ask again', async t => {
  const { api, ancestors } = await started()
  api.answers[path] = (_, r) => json(r, { shop: of('one'), entrances })
  await ancestors('/help?shop=one.example')
  api.answers['/auth'] = (_, r) => json(r, { message: 'Down.' }, 503)
  const asked = api.asked.length
  t.same(await ancestors('/?shop=one.example&id_token=x'), [503, admin])
  t.same(api.asked.slice(asked), ['POST /auth'])
})

t.test('an answer with an origin that is not plain is not used', async t => {
  const { api, ancestors } = await started()
  for (const [i, origin] of [
    '*',
    'https://*.example',
    'https://a.example; script-src *',
  ].entries()) {
    api.answers[path] = (_, r) => json(r, { shop: of('one', [origin]), entrances })
    t.same(await ancestors(`/auth-missing?shop=bad-${i}.example`), [401, "'none'"], origin)
  }
})
