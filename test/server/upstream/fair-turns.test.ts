import t from 'tap'
import type { RequestListener, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { quotas } from '../../../domain/quota.ts'
import { fairTurns } from '../../../domain/fair-turns.ts'
import { createUpstream } from '../../../server/upstream/upstream.ts'
import { like } from '../../engine/support/like.ts'
import { json, smallUpstream } from '../support/small-upstream.ts'

const api = await smallUpstream()
t.teardown(() => api.close())
const tokenOf = (storeId: string) =>
  `h.${Buffer.from(JSON.stringify({ sub: storeId })).toString('base64url')}.s`
const times = <T>(count: number, one: () => T): T[] => Array.from({ length: count }, one)

/**
 * Holds all calls with these tokens until they are released, and counts the most calls per token at
 * the same time.
 */
function holding(tokens: readonly string[], answer: (response: ServerResponse) => void) {
  const held = new Map(tokens.map(token => [token, new Set<ServerResponse>()]))
  const most = new Map<string, number>()
  let isOver = false
  const listener: RequestListener = (request, response) => {
    const token = request.headers.authorization!.replace('Bearer ', '')
    const own = held.get(token)
    if (!own || isOver) return answer(response)
    own.add(response)
    most.set(token, Math.max(most.get(token) ?? 0, own.size))
  }
  return {
    listener,
    most: (token: string) => most.get(token) ?? 0,
    letGo: () => {
      isOver = true
      for (const own of held.values()) for (const response of own) answer(response)
    },
  }
}

t.test('stores with calls that do not end leave room for calls of another store', async t => {
  const upstream = createUpstream(api.origin, { timeout: 30_000, deadline: 0 })
  t.teardown(() => upstream.close())
  const slow = ['a', 'b', 'c', 'd'].map(tokenOf)
  const hold = holding([...slow, 'staff'], response => json(response, { sold: 'Ceramics' }))
  api.answers['/api/store/industries'] = hold.listener
  api.answers['/api/v0/admin/health/api'] = hold.listener
  let answered = 0
  const theirs = slow.flatMap(token =>
    times(60, () => upstream.send('industries', {}, token).then(() => answered++)),
  )
  const staffs = times(60, () =>
    upstream.sendForStaff('adminApiHealth', {}, 'staff').then(() => answered++),
  )
  t.equal(await upstream.send('industries', {}, tokenOf('e')), '{"sold":"Ceramics"}')
  t.equal(answered, 0)
  for (const token of [...slow, 'staff'])
    t.ok(hold.most(token) >= 1 && hold.most(token) <= quotas.appCalls, `${hold.most(token)}`)
  t.equal(hold.most(slow[0]!), quotas.appCalls)
  hold.letGo()
  await Promise.all([...theirs, ...staffs])
  t.equal(answered, 300, 'waiting calls are answered')
})

t.test('a store with unread files leaves room for files of another store', async t => {
  const upstream = createUpstream(api.origin, { timeout: 30_000 })
  t.teardown(() => upstream.close())
  // Larger than all buffers between the servers.
  const picture = Buffer.alloc(4 * 1024 * 1024, 'x')
  api.answers['/api/store/logo'] = (_, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end(picture)
  const unread: Readable[] = []
  const theirs = ['a', 'b', 'c', 'd'].flatMap(store =>
    times(30, async () => {
      const file = await upstream.download('storeLogo', {}, tokenOf(store))
      unread.push(file!.body)
    }),
  )
  const other = await upstream.download('storeLogo', {}, tokenOf('e'))
  t.equal((await text(other!.body)).length, picture.length)
  t.ok(unread.length < theirs.length, `${unread.length} files were started`)
  let read = 0
  while (read < theirs.length) {
    const file = unread.pop()
    if (file) {
      // A reader that stops in the middle releases its turn too.
      if (read++ % 2 === 0) file.destroy()
      else await text(file)
    } else await new Promise(resolve => setImmediate(resolve))
  }
  await Promise.all(theirs)
})

t.test('waiting for a turn does not make a call’s timeout longer', async t => {
  const upstream = createUpstream(api.origin, { timeout: 200, deadline: 0 })
  t.teardown(() => upstream.close())
  api.asked.length = 0
  // Slow calls have a timeout four times as long, so these run for the whole time of the others.
  api.answers['/api/v0/ga/enable'] = api.answers['/api/store/industries'] = () => {}
  let ended = 0
  const underWay = Promise.allSettled(
    times(quotas.appCalls, () =>
      upstream.send('enableGa', {}, tokenOf('a')).finally(() => ended++),
    ),
  )
  const waited = await Promise.allSettled(
    times(20, () => upstream.send('industries', {}, tokenOf('a'))),
  )
  for (const outcome of waited)
    t.match(outcome, { status: 'rejected', reason: like({ status: 504 }) })
  t.equal(ended, 0, 'no slow call had ended')
  t.notOk(api.asked.includes('GET /api/store/industries'), 'the waiting calls never started')
  await underWay
})

t.test('turns of a key come in order, and a key without turns is not stored', async t => {
  const turns = fairTurns({ all: 64, each: 2 }),
    never = new AbortController().signal,
    impatient = new AbortController()
  const begun: number[] = []
  const ends: (() => void)[] = []
  const take = (n: number, signal = never) =>
    turns.take('a', signal).then(end => {
      begun.push(n)
      ends.push(end)
    })
  const calls = [take(0), take(1), take(2), take(3, impatient.signal), take(4)]
  await Promise.all(calls.slice(0, 2))
  impatient.abort(new Error('too late'))
  await t.rejects(calls[3]!, { message: 'too late' })
  t.same(begun, [0, 1])
  ends[0]!()
  ends[0]!()
  await calls[2]
  t.same(begun, [0, 1, 2], 'a turn that is ended twice counts once')
  ends[1]!()
  await calls[4]
  t.same(begun, [0, 1, 2, 4])
  t.equal(turns.keys(), 1)
  ends[2]!()
  ends[3]!()
  t.equal(turns.keys(), 0)
  await t.rejects(turns.take('a', AbortSignal.abort(new Error('gone'))), { message: 'gone' })
  t.equal(turns.keys(), 0)
})

t.test('keys that want all turns share them evenly', async t => {
  const turns = fairTurns({ all: 8, each: 4 }),
    never = new AbortController().signal
  const underWay = new Map<string, (() => void)[]>()
  const want = (key: string) =>
    times(20, () =>
      turns.take(key, never).then(end => underWay.set(key, [...(underWay.get(key) ?? []), end])),
    )
  const count = (key: string) => underWay.get(key)?.length ?? 0
  const settled = () => new Promise(resolve => setImmediate(resolve))
  want('a')
  want('b')
  await settled()
  t.same([count('a'), count('b')], [4, 2], 'the first has its share, the next half of the rest')
  want('c')
  want('d')
  await settled()
  t.same([count('c'), count('d')], [1, 1], 'there is still room for other keys')
  want('e')
  await settled()
  t.equal(count('e'), 0)
  // When a call ends, the key with the fewest running calls is next.
  underWay.get('a')!.pop()!()
  await settled()
  t.same(['a', 'b', 'c', 'd', 'e'].map(count), [3, 2, 1, 1, 1])
  const idle = new AbortController()
  const late = turns.take('f', idle.signal)
  idle.abort(new Error('too late'))
  await t.rejects(late, { message: 'too late' })
  t.equal(turns.keys(), 5, 'a key that left before its turn is not stored')
})

t.test('keys share the places to wait in as they share the turns', async t => {
  const turns = fairTurns({
    all: 2,
    each: 2,
    queue: { places: 8, refusal: () => new Error('no place') },
  })
  const ends: (() => void)[] = []
  const want = (key: string, count: number, signal = new AbortController().signal) =>
    times(count, () =>
      turns.take(key, signal).then(
        end => ends.push(end),
        (error: Error) => error.message,
      ),
    )
  const leaving = new AbortController()
  const as = [...want('a', 1), ...want('a', 3, leaving.signal), ...want('a', 3)]
  t.same(await Promise.all(as.slice(5)), ['no place', 'no place'], 'half of the places')
  const [, , , last] = want('b', 4)
  t.equal(await last, 'no place', 'one began, and half of the places that were left wait')
  t.equal(await want('c', 2)[1], 'no place')
  leaving.abort(new Error('left'))
  t.same(await Promise.all(as.slice(1, 4)), ['left', 'left', 'left'])
  want('d', 2)
  for (let ended = 0; ended < 8; ended++) {
    while (ends.length === 0) await new Promise(resolve => setImmediate(resolve))
    ends.pop()!()
  }
  t.equal(turns.keys(), 0, 'all that waited have begun')
})
