import t from 'tap'
import type { RequestListener } from 'node:http'
import { apiSessions } from '../../../server/upstream/api-session.ts'
import { sharedAnswers } from '../../../server/upstream/shared-answers.ts'
import { ownerOf } from '../../../server/upstream/token-owner.ts'
import { createUpstream } from '../../../server/upstream/upstream.ts'
import { like } from '../../engine/support/like.ts'
import { json, smallUpstream } from '../support/small-upstream.ts'

const api = await smallUpstream(),
  upstream = createUpstream(api.origin)
t.teardown(async () => {
  await upstream.close()
  api.close()
})
const now = new Date('2026-11-21T12:00:00Z')
const tokenOf = (storeId: string, n = 0, minutes = 10) =>
  `h.${Buffer.from(JSON.stringify({ sub: storeId, exp: now.getTime() / 1000 + minutes * 60, n })).toString('base64url')}.s`
/** The store in the token, as the API would read it. */
const storeIn = (headers: Parameters<RequestListener>[0]['headers']) =>
  (
    JSON.parse(Buffer.from(headers.authorization!.split('.')[1]!, 'base64url').toString()) as {
      sub: string
    }
  ).sub
let told: (storeId: string) => string
api.answers['/api/store/industries'] = (request, response) =>
  json(response, { sold: told(storeIn(request.headers)) })

const ask = (sessions: ReturnType<typeof apiSessions>, token: string) =>
  sessions(token).api.industries({})

t.test('a token without a store shares no answers', async t => {
  const token = (body: string) => `h.${Buffer.from(body).toString('base64url')}.s`
  t.equal(ownerOf(token('{"sub":"a"}')), 'a')
  for (const body of ['{"sub":""}', '{"sub":7}', '{}', 'null', '{'])
    t.equal(ownerOf(token(body)), token(body), body)
  t.equal(ownerOf('no token'), 'no token')
})

t.test(
  'many browsers of a store share one answer; two stores never share one, even when it is equal',
  async t => {
    const sessions = apiSessions(upstream, () => now)
    told = () => 'Ceramics'
    const first = await ask(sessions, tokenOf('a'))
    const before = sessions.kept()
    const others = await Promise.all(
      Array.from({ length: 99 }, (_, n) => ask(sessions, tokenOf('a', n + 1))),
    )
    t.ok(others.every(other => other === first))
    const after = sessions.kept()
    t.equal(after.answers, before.answers)
    t.ok(
      (after.bytes - before.bytes) / 99 < 32 * 1024,
      `each further session takes ${(after.bytes - before.bytes) / 99} bytes`,
    )
    const other = await ask(sessions, tokenOf('b'))
    t.same(other, first)
    t.not(other, first)
  },
)

t.test(
  'a browser gets its own answer from the API, even when another browser of the store got another',
  async t => {
    const sessions = apiSessions(upstream, () => now)
    let n = 0
    told = () => `Answer ${++n}`
    t.same(await ask(sessions, tokenOf('a')), { sold: 'Answer 1' })
    t.same(await ask(sessions, tokenOf('a', 1)), { sold: 'Answer 2' })
    api.answers['/api/store/industries'] = (_, response) => json(response, { message: 'No.' }, 401)
    await t.rejects(ask(sessions, tokenOf('a', 2)), like({ status: 401 }))
    api.answers['/api/store/industries'] = (request, response) =>
      json(response, { sold: told(storeIn(request.headers)) })
    t.equal(sessions.kept().answers, 1, 'only the newest answer of an address is stored')
  },
)

t.test('an answer that the API calls unchanged is the one that the store got last', async t => {
  const sessions = apiSessions(upstream, () => now),
    path = '/api/store/industries',
    usual = api.answers[path]!
  t.teardown(() => {
    api.answers[path] = usual
  })
  const sent: (string | undefined)[] = []
  let etag = '"1"'
  api.answers[path] = (request, response) => {
    sent.push(request.headers['if-none-match'])
    response.setHeader('etag', etag)
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end()
    else json(response, { sold: `${storeIn(request.headers)} ${etag}` })
  }
  const first = await ask(sessions, tokenOf('a'))
  t.same(first, { sold: 'a "1"' })
  t.equal(await ask(sessions, tokenOf('a', 1)), first)
  t.same(await ask(sessions, tokenOf('b')), { sold: 'b "1"' }, 'another store has no answer yet')
  etag = '"2"'
  t.same(await ask(sessions, tokenOf('a')), { sold: 'a "2"' })
  t.same(sent, [undefined, '"1"', undefined, '"1"'])
  api.answers[path] = (_, response) => json(response, { message: 'No.' }, 401)
  await t.rejects(ask(sessions, tokenOf('a', 2)), like({ status: 401 }))
  api.answers[path] = (_, response) => response.writeHead(304).end()
  await t.rejects(ask(sessions, tokenOf('c')), like({ status: 304 }), 'nobody asked whether it is')
})

t.test(
  'with any number of stores, cached answers stay within their limit, and ended sessions are removed',
  async t => {
    let at = now
    const most = { answers: 2_000_000, sessions: 1_000_000 },
      sessions = apiSessions(upstream, () => at, { maxBytes: most })
    told = storeId => storeId.repeat(10_000)
    for (let n = 0; n < 60; n++) {
      await ask(sessions, tokenOf(`store-${n}`))
      if (sessions.kept().bytes > most.answers + most.sessions)
        t.fail(`${sessions.kept().bytes} bytes after ${n + 1} stores`)
    }
    const full = sessions.kept()
    t.ok(full.answers > 3 && full.answers < 50, `${full.answers} answers are cached`)
    t.ok(full.sessions > 20 && full.sessions < 60, `${full.sessions} sessions are stored`)
    at = new Date(now.getTime() + 11 * 60_000)
    await ask(sessions, tokenOf('late', 0, 30))
    t.equal(sessions.kept().sessions, 1, 'their tokens have expired')
  },
)

t.test('answers that are used together stay one object until one of them changes', async t => {
  const answers = sharedAnswers(10_000),
    [a, b] = [{ of: 'a' }, { of: 'b' }]
  const first = answers.together('store', { a, b })
  t.equal(answers.together('store', { a, b }), first)
  t.not(answers.together('store', { a, b: { ...b } }), first)
  t.not(answers.together('other', { a, b }), first)
})
