import { once } from 'node:events'
import t from 'tap'
import { Agent, WebSocket } from 'undici'
import { startEngine } from '../../engine/support/engine.ts'
import { freshDb } from '../../engine/support/harness.ts'
import type { LiveMessage } from '../../../domain/jobs/job.ts'
import { hearing } from '../../engine/support/hearing.ts'
import { eventually, openPage, ownJob, pageOrigin, startApp, wire } from '../support/relay-stage.ts'

const db = await freshDb()
const engine = await startEngine({ db })
const engineOrigin = await engine.engine.app.listen({ port: 0, host: '127.0.0.1' })
const line = await wire(t, () => Number(new URL(engineOrigin).port))
const app = await startApp(line.origin, engine.shop.origin, { first: 20_000 }),
  hasty = await startApp(line.origin, engine.shop.origin, { first: 300 })
t.teardown(async () => {
  await app.close()
  await hasty.close()
  await engine.close()
  await db.close()
})
const { id: store } = await engine.call('storeInfo', {})
const tokenOf = async () =>
  (await engine.call('auth', { body: { idToken: await engine.shop.idToken() } })).token

/** Opens a WebSocket as a page without cookies does. */
async function open(
  first: string | null,
  origin: string | undefined = pageOrigin,
  { port = app.port, from = '127.0.0.1' } = {},
) {
  const agent = new Agent({ localAddress: from })
  const socket = new WebSocket(`ws://127.0.0.1:${port}/live?session=message`, {
    dispatcher: agent,
    headers: { ...(origin !== undefined && { origin }) },
  })
  const { heard, hear, until } = hearing<LiveMessage>()
  socket.addEventListener('message', ({ data }) => hear(JSON.parse(String(data)) as LiveMessage))
  const closed = new Promise<number>(resolve => {
    socket.addEventListener('close', ({ code }) => resolve(code))
  })
  const isOpen = await Promise.race([
    once(socket, 'open').then(() => true),
    closed.then(() => false),
  ])
  if (isOpen && first !== null) socket.send(first)
  return { isOpen, heard, until, closed, close: () => socket.close() }
}

t.test('the token in the first message connects the page to its store', async t => {
  const page = await open(JSON.stringify({ token: await tokenOf() }))
  await eventually(() => line.standing() === 1)
  const job = await ownJob(db, store)
  await job.end()
  await page.until(heard =>
    heard.some(
      each => each.type === 'job' && each.job.id === job.id && each.job.status === 'completed',
    ),
  )
  page.close()
  t.equal(await page.closed, 1005)
})

t.test('a WebSocket without a valid first message is closed', async t => {
  const token = await tokenOf(),
    [head, claims, signature] = token.split('.') as [string, string, string]
  const forged = [head, claims, (signature[0] === 'A' ? 'B' : 'A') + signature.slice(1)].join('.')
  for (const [name, first] of [
    ['silent', null],
    ['no JSON', 'hello'],
    ['no token', '{}'],
    ['nonsense', JSON.stringify({ token: 'a.b.c' })],
    ['signed by another', JSON.stringify({ token: forged })],
    ['null', 'null'],
  ] as const) {
    const { port } = first === null ? hasty : app
    const page = await open(first, pageOrigin, { port })
    t.ok(page.isOpen, name)
    t.equal(await page.closed, 1008, name)
    t.same(page.heard, [], name)
  }
  const long = await open(JSON.stringify({ token: 'x'.repeat(2_000) }))
  t.ok([1006, 1009].includes(await long.closed), 'a message that is too long')
})

t.test('one client leaves room for others', async t => {
  const own = await startApp(line.origin, engine.shop.origin, { first: 20_000 })
  const from = (address: string) => open(null, pageOrigin, { port: own.port, from: address })
  const held = await Promise.all(Array.from({ length: 60 }, () => from('127.0.0.1')))
  t.equal(held.filter(({ isOpen }) => isOpen).length, 40)
  const other = await from('127.0.0.2')
  t.ok(other.isOpen, 'another client gets in')
  await own.close()
})

t.test('only pages of the app may open one; without the mark nothing has changed', async t => {
  t.notOk((await open(null, 'https://evil.test')).isOpen)
  t.notOk((await open(null, '')).isOpen)
  t.equal(await openPage(app.port, '').opened, false, 'no cookie, no mark')
})
