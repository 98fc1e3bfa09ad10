import t from 'tap'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { buildEngine } from '../../engine/app.ts'
import { EngineConfig, engineConfig } from '../../engine/config.ts'
import { startEngine } from './engine.ts'
import { like } from './like.ts'

t.test('it says that it is alive and ready, and what is wrong when it is not', async t => {
  const { engine, db, shop } = await startEngine()
  t.teardown(() => shop.close())
  t.teardown(() => engine.close())
  const get = async (url: string) => { const { statusCode, payload } = await engine.app.inject(url); return [statusCode, JSON.parse(payload)] }
  t.same(await get('/healthz'), [200, { ok: true }])
  t.same(await get('/readyz'), [200, { database: true, migrations: true, hub: true, running: true }])
  await db.kysely.deleteFrom('migrations' as never).execute()
  t.same(await get('/readyz'), [503, { database: true, migrations: false, hub: true, running: true }])
  await db.kysely.destroy()
  t.equal((await get('/healthz'))[0], 503)
  t.match(await get('/readyz'), [503, { database: false }])
})

t.test('an error inside is hidden, but found by its uuid in the log, which holds no query and no token', async t => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, new Writable({ write: (line, _, done) => { lines.push(String(line)); done() } }))
  const { engine, db, token, close } = await startEngine({ log })
  t.teardown(close)
  await db.kysely.schema.dropTable('plans').cascade().execute()
  const failed = await engine.app.inject({ url: '/api/v0/plans', headers: { authorization: `Bearer ${token}` } })
  const { uuid, message } = failed.json<{ uuid: string; message: string }>()
  t.same([failed.statusCode, message], [500, 'Something went wrong on our side.'])
  const found = lines.filter(line => line.includes(uuid))
  t.match(found.find(line => line.includes('"err"')), /plans/, 'the reason is in the log')
  await engine.app.inject({ url: '/api/v0/stores/info?id_token=very-secret', headers: { authorization: `Bearer ${token}` } })
  t.match(lines.at(-1), '"path":"/api/v0/stores/info"')
  t.notMatch(lines.join(), /very-secret/)
  t.notMatch(lines.join(), token.split('.')[2]!)
  t.match((await engine.app.inject('/nowhere')).json(), { message: /nothing/, error: 404, uuid: String })
})

t.test('the configuration is checked whole: every wrong key is named, no value is', t => {
  t.match(engineConfig({}), { ENGINE_PORT: 3001, DATA_DIR: './data', PUBLIC_ORIGIN: 'http://localhost:3000', DEMO_SHOP_ORIGIN: 'http://localhost:3002' })
  t.match(engineConfig({ PORT: '8080', DEMO_SHOP_PORT: '9', APP_ORIGIN: 'https://a.example', DATABASE_URL: '' }), { PUBLIC_ORIGIN: 'https://a.example', DEMO_SHOP_ORIGIN: 'http://localhost:9', DATABASE_URL: undefined })
  t.match(engineConfig({ GTM_ID: 'GTM-AB12' }), { GTM_ID: 'GTM-AB12', GOOGLE_COLLECT_ORIGIN: 'https://www.google-analytics.com' })
  t.throws(() => engineConfig({ GTM_ID: 'gtm-ab12' }), /GTM_ID/)
  t.throws(() => engineConfig({ GOOGLE_CLIENT_ID: 'one half' }), /GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET/)
  t.throws(() => engineConfig({ NODE_ENV: 'production' }), /SESSION_SECRET.*DEMO_APP_SECRET|DEMO_APP_SECRET.*SESSION_SECRET/)
  t.throws(() => engineConfig({ NODE_ENV: 'production', SESSION_SECRET: engineConfig({}).SESSION_SECRET, DEMO_APP_SECRET: 'x'.repeat(16) }), /SESSION_SECRET must be a secret of your own/)
  try {
    engineConfig({ ENGINE_PORT: '99999', DATABASE_URL: 'mysql://u:hunter2@h/d', SESSION_SECRET: 'short-secret' })
    t.fail('it was taken')
  } catch (error) {
    for (const key of ['ENGINE_PORT', 'DATABASE_URL', 'SESSION_SECRET']) t.match((error as Error).message, key)
    t.notMatch((error as Error).message, /hunter2|short-secret/)
  }
  t.ok(Object.keys(EngineConfig.properties).length > 8)
  t.end()
})

t.test('a second engine on the same folder refuses, and the first is not disturbed', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-app-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const config = engineConfig({ DATA_DIR: folder })
  const engine = await buildEngine({ config })
  await t.rejects(buildEngine({ config }), like({ owner: { pid: process.pid } }))
  t.equal((await engine.app.inject('/readyz')).statusCode, 200)
  await engine.close()
  const again = await buildEngine({ config })
  t.equal((await again.app.inject('/readyz')).statusCode, 200, 'closed and opened again, nothing is lost')
  await again.close()
})
