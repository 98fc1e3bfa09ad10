import t from 'tap'
import type { RequestListener } from 'node:http'
import { apiSessions, shellLife } from '../../../server/upstream/api-session.ts'
import { createUpstream } from '../../../server/upstream/upstream.ts'
import { like } from '../../engine/support/like.ts'
import { startEngine } from '../../engine/support/engine.ts'
import { json, smallUpstream } from '../support/small-upstream.ts'

const api = await smallUpstream(),
  upstream = createUpstream(api.origin, { firstWait: 5, longestWait: 20 })
const { call, close } = await startEngine()
t.teardown(async () => {
  await upstream.close()
  api.close()
  await close()
})
let now = new Date('2026-11-21T12:00:00Z')
const pass = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds)
}
const tokenOf = (storeId: string, n: number) =>
  `h.${Buffer.from(JSON.stringify({ sub: storeId, n })).toString('base64url')}.s`

const paths = {
  storeInfo: '/api/v0/stores/info',
  storeStatus: '/api/v0/stores/status',
  plans: '/api/v0/plans',
  storeAddresses: '/api/v0/stores/addresses',
} as const
/** Real answers, in which each store has its own name. */
const real = {
  storeInfo: await call('storeInfo', {}),
  storeStatus: await call('storeStatus', {}),
  plans: await call('plans', {}),
  storeAddresses: await call('storeAddresses', {}),
}
let name = 'Fern & Kiln'
/** Tokens that the API refuses, and how long it takes to answer. */
const refused = new Set<string>()
let answersAfter = Promise.resolve()
for (const [call, path] of Object.entries(paths) as [keyof typeof paths, string][])
  api.answers[path] = (async (request, response) => {
    const token = request.headers.authorization!.slice('Bearer '.length)
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
      sub: string
    }
    const answer = call === 'storeInfo' ? { ...real[call], id: sub, name } : real[call]
    await answersAfter
    if (refused.has(token)) json(response, { message: 'No.' }, 401)
    else json(response, answer)
  }) as RequestListener
api.answers['/api/store/industries'] = (_, response) => json(response, { sold: 'Ceramics' })
api.answers['/api/v0/about'] = (_, response) =>
  json(response, {
    google: { analytics: { gtm: 'GTM-AB12CD' } },
    segment: { writeKey: 'key123' },
    version: '1.0.0',
  })
api.answers['/api/store/onboarded'] = (_, response) => json(response, { ok: true })

/** Sessions of one store, and what has been asked since the last look. */
function stage(life?: number) {
  const sessions = apiSessions(upstream, () => now, life === undefined ? {} : { life })
  return { of: (n: number, store = 'a') => sessions(tokenOf(store, n)), sessions }
}
const asked = () => api.asked.splice(0).map(line => line.split(' ')[1]!)
t.beforeEach(() => {
  refused.clear()
  api.asked.length = 0
  name = 'Fern & Kiln'
})

t.test('the data of a store is read once for all its sessions', async t => {
  const { of } = stage()
  const first = await of(0).shell()
  t.same(asked().toSorted(), Object.values(paths).toSorted())
  for (const n of [1, 2]) t.equal(await of(n).shell(), first)
  t.same(asked(), [paths.storeAddresses, paths.storeAddresses], 'each token is tried once')
  for (const n of [0, 1, 2]) t.equal(await of(n).shell(), first)
  t.same(asked(), [])
  pass(shellLife.alone / 2)
  await of(1).api.industries({})
  pass(shellLife.alone / 2)
  asked()
  await Promise.all([of(1).shell(), of(1).shell()])
  t.equal(asked().length, 4, 'it is read again when it is too old')
  await of(1).shell()
  t.same(asked(), [])
  await of(2).shell()
  t.same(asked(), [paths.storeAddresses], 'this token was not accepted lately')
})

t.test('a token that the API refuses gets nothing that others have read', async t => {
  const { of } = stage()
  await of(0).shell()
  refused.add(tokenOf('a', 1))
  await t.rejects(of(1).shell(), like({ status: 401 }), 'a forged token')
  await t.resolves(of(2).shell())
  await t.resolves(of(0).shell(), 'the others keep theirs')
  refused.add(tokenOf('a', 2))
  await t.rejects(of(2).api.storeStatus({}), like({ status: 401 }))
  await t.rejects(of(2).shell(), like({ status: 401 }), 'once the API has refused it, at once')
  refused.add(tokenOf('a', 0))
  pass(shellLife.alone)
  await of(3).shell()
  await t.rejects(of(0).shell(), like({ status: 401 }), 'and a token that ended unnoticed')
})

t.test('an answer to everyone does not prove a token', async t => {
  const { of } = stage()
  await of(0).shell()
  refused.add(tokenOf('a', 1))
  await of(1).api.about({})
  await of(1)
    .api.lastUninstall({ params: { id: 's' } })
    .catch(() => {})
  await t.rejects(of(1).shell(), like({ status: 401 }))
})

t.test('a session does not fail because the one that asked has ended', async t => {
  const { of } = stage()
  await Promise.all([of(0).shell(), of(1).shell()])
  pass(shellLife.alone / 2)
  await Promise.all([0, 1].map(n => of(n).api.industries({})))
  pass(shellLife.alone / 2)
  refused.add(tokenOf('a', 0))
  const [ended, other] = await Promise.allSettled([of(0).shell(), of(1).shell()])
  t.match(ended, { status: 'rejected', reason: { status: 401 } })
  t.match(other, { status: 'fulfilled' })
})

t.test('two stores share nothing', async t => {
  const { of } = stage()
  const [a, b] = await Promise.all([of(0, 'a').shell(), of(0, 'b').shell()])
  t.same([a.store.id, b.store.id], ['a', 'b'])
  t.equal((await of(1, 'b').shell()).store.id, 'b')
})

t.test('after a change of one session no session gets what was asked for before', async t => {
  const { of, sessions } = stage()
  await Promise.all([of(0).shell(), of(1).shell()])
  pass(shellLife.alone)
  asked()
  let answer = () => {}
  answersAfter = new Promise(resolve => {
    answer = resolve
  })
  // This session asks before the change, and is answered after it.
  const before = of(1).shell()
  while (api.asked.length < 4) await new Promise(resolve => setImmediate(resolve))
  name = 'Kiln & Fern'
  await of(0).api.setOnboarded({})
  const after = Promise.all([of(0).shell(), of(1).shell()])
  answer()
  answersAfter = Promise.resolve()
  t.equal((await before).store.name, 'Fern & Kiln')
  for (const { store } of await after) t.equal(store.name, 'Kiln & Fern')
  for (const n of [0, 1, 2]) t.equal((await of(n).shell()).store.name, 'Kiln & Fern')
  name = 'Third'
  sessions.forget('a')
  t.equal((await of(1).shell()).store.name, 'Third', 'also when something else has changed it')
})

t.test('one of several apps reads the data for each page', async t => {
  const { of } = stage(shellLife.oneOfMany)
  for (const next of ['One', 'Two', 'Three']) {
    name = next
    for (const n of [0, 1]) t.equal((await of(n).shell()).store.name, next)
  }
})
