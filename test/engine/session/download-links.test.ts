import t from 'tap'
import { linkSeconds } from '../../../domain/embedding/download-path.ts'
import { endSessions } from '../../../engine/session/live-sessions.ts'
import { startEngine } from '../support/engine.ts'

const engine = await startEngine()
t.teardown(engine.close)
const { call, shop, now } = engine
const path = '/tests/1/export/orders'
const signIn = async () => (await call('auth', { body: { idToken: await shop.idToken() } })).token
const make = async (token: string) =>
  (await call('makeDownloadLink', { body: { path } }, token)).link
const use = (link: string, at = path) => call('useDownloadLink', { body: { link, path: at } })
const gone = { status: 410 } as never

t.test('a link stands for the token of the session that made it, once', async t => {
  const token = await signIn(),
    link = await make(token)
  t.same(await use(link), { token })
  await t.rejects(use(link), gone)
})

t.test('of two requests at once only one gets the file', async t => {
  const link = await make(await signIn())
  const results = await Promise.allSettled([use(link), use(link), use(link)])
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
})

t.test('a link for another file is refused and used up', async t => {
  const link = await make(await signIn())
  await t.rejects(use(link, '/tests/2/export/orders'), gone)
  await t.rejects(use(link), gone)
})

t.test('a link that is too old is refused, and its row goes with the next one', async t => {
  const token = await signIn(),
    link = await make(token),
    before = now.at
  now.at = new Date(before.getTime() + linkSeconds * 1000)
  t.teardown(() => {
    now.at = before
  })
  await make(token)
  const rows = await engine.engine.db.kysely.selectFrom('download_links').selectAll().execute()
  t.equal(rows.length, 1)
  await t.rejects(use(link), gone)
})

t.test('nothing that opens a session is stored as it is', async t => {
  const token = await signIn(),
    link = await make(token)
  const rows = await engine.engine.db.kysely.selectFrom('download_links').selectAll().execute()
  const stored = JSON.stringify(rows) + rows.map(row => Buffer.from(row.sealed_token)).join()
  t.notMatch(stored, link.split('.')[1]!)
  t.notMatch(stored, token)
})

t.test('an unknown link is refused', async t => {
  const link = await make(await signIn())
  await t.rejects(use(`${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`), gone)
  await t.rejects(use('nonsense'), { status: 400 } as never)
})

t.test('a link ends with its session', async t => {
  const token = await signIn(),
    link = await make(token)
  const { id } = await call('storeInfo', {}, token)
  await engine.engine.db.kysely.transaction().execute(trx => endSessions(trx, id))
  await t.rejects(use(link), gone)
})
