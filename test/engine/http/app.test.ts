import t from 'tap'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { buildEngine } from '../../../engine/app.ts'
import { EngineConfig, engineConfig } from '../../../engine/config.ts'
import { metricsConfig } from '../../../engine/operators/metrics-config.ts'
import { listenForMetrics, processMetrics } from '../../../engine/operators/metrics-listener.ts'
import { startEngine } from '../support/engine.ts'
import { like } from '../support/like.ts'
import { quietLog } from '../support/quiet-log.ts'
import { beacon, browser, event } from '../support/traffic.ts'

t.test('the engine says whether it is alive and ready, and what is wrong if not', async t => {
  const { engine, db, shop } = await startEngine()
  t.teardown(() => shop.close())
  t.teardown(() => engine.close())
  const get = async (url: string) => {
    const { statusCode, payload } = await engine.app.inject(url)
    return [statusCode, JSON.parse(payload)]
  }
  t.same(await get('/healthz'), [200, { ok: true }])
  t.same(await get('/readyz'), [
    200,
    { database: true, migrations: true, hub: true, running: true, storing: true },
  ])
  await db.kysely.deleteFrom('migrations' as never).execute()
  t.same(await get('/readyz'), [
    503,
    { database: true, migrations: false, hub: true, running: true, storing: true },
  ])
  await db.kysely.destroy()
  t.equal((await get('/healthz'))[0], 503)
  t.match(await get('/readyz'), [503, { database: false }])
})

t.test(
  'metrics on a separate port tell operators how the product does, and name no store or visitor',
  async t => {
    const own = processMetrics()
    const { engine, db, shop, now, token, call } = await startEngine({
      onAnswered: own.answered('engine'),
    })
    t.teardown(() => shop.close())
    t.teardown(() => engine.close())
    const listener = await listenForMetrics(
      { port: 0, host: '127.0.0.1' },
      [own.text, engine.metrics],
      quietLog,
    )
    t.teardown(listener.close)
    const { id } = await call('storeInfo', {})
    const send = (payload: object) =>
      engine.app.inject({
        method: 'POST',
        url: '/collect',
        headers: { 'user-agent': browser, origin: shop.origin },
        payload,
      })
    const views = [event('view', now.at.getTime()), event('view', now.at.getTime())]
    await send(beacon('visitor-one', {}, views, { sent: now.at.getTime() }))
    await send(
      beacon('visitor-two', {}, views, { sent: now.at.getTime(), shop: 'nobody.demo-shop.test' }),
    )
    await send({})
    await engine.app.inject({
      url: `/api/v0/tests/${id}`,
      headers: { authorization: `Bearer ${token}` },
    })
    await engine.app.inject('/nowhere/at/all')
    const job = { store_id: id, payload: '{}', state: '{}', created_at: now.at, updated_at: now.at }
    await db.kysely
      .insertInto('jobs')
      .values({
        ...job,
        job_id: randomUUID(),
        kind: 'scheduledEnd',
        run_at: new Date(now.at.getTime() + 86_400_000),
      })
      .execute()
    await db.kysely
      .insertInto('jobs')
      .values({ ...job, job_id: randomUUID(), kind: 'limitCheck', run_at: now.at })
      .execute()
    await engine.runJobs()
    await db.kysely
      .updateTable('published_scripts')
      .set({ wanted: 99, attempts: 3, next_attempt_at: new Date('2100-01-01') })
      .execute()
    await engine.rollUp()

    const response = await fetch(`http://127.0.0.1:${listener.port}/metrics`)
    t.match(response.headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
    const told = await response.text()
    const lines = told.split('\n')
    for (const line of [
      'twinshelf_requests_total{program="engine",method="POST",route="/collect",status="204"} 1',
      'twinshelf_requests_total{program="engine",method="GET",route="none",status="404"} 1',
      'twinshelf_request_duration_seconds_count{program="engine",method="GET",route="/api/v0/tests/:id"} 1',
      'twinshelf_collector_beacons_total{outcome="taken"} 1',
      'twinshelf_collector_beacons_total{outcome="refused"} 2',
      'twinshelf_collector_beacons_total{outcome="putOff"} 0',
      'twinshelf_collector_events_total{outcome="taken"} 2',
      'twinshelf_collector_events_total{outcome="refused"} 2',
      'twinshelf_ingest_waiting_beacons 0',
      'twinshelf_jobs{kind="scheduledEnd",state="waiting"} 1',
      'twinshelf_jobs{kind="limitCheck",state="due"} 0',
      'twinshelf_job_runs_total{kind="limitCheck",outcome="completed"} 1',
      'twinshelf_jobs_oldest_due_seconds 0',
      'twinshelf_publications{state="failing"} 1',
      'twinshelf_rollup_due_tests 0',
      'twinshelf_google_failing_stores 0',
      'twinshelf_hub_connections 0',
      'twinshelf_hub_hears 1',
      'twinshelf_database_up 1',
    ])
      t.ok(lines.includes(line), line)
    for (const name of [
      'nodejs_eventloop_lag_seconds',
      'process_resident_memory_bytes',
      'twinshelf_rollup_age_seconds',
      ...(db.pool ? ['twinshelf_database_connections{state="idle"}'] : []),
    ])
      t.ok(
        lines.some(line => line.startsWith(`${name} `)),
        name,
      )
    const types = lines.filter(line => line.startsWith('# TYPE'))
    t.equal(
      new Set(types.map(line => line.split(' ')[2])).size,
      types.length,
      'every metric is listed once',
    )
    for (const whose of [id, shop.origin, 'demo-shop.test', 'visitor-one', token])
      t.notOk(told.includes(whose), 'no label grows with stores or visitors')
    t.equal((await engine.app.inject('/metrics')).statusCode, 404, 'the public port has no metrics')

    await db.kysely.destroy()
    const without = await (await fetch(`http://127.0.0.1:${listener.port}/metrics`)).text()
    t.match(without, /^twinshelf_database_up 0$/m)
    t.notMatch(
      without,
      /^twinshelf_(jobs|jobs_oldest_due_seconds|publications)[ {]/m,
      'old values are not repeated',
    )
    t.same(
      [metricsConfig({}), metricsConfig({ METRICS_PORT: 'off' })],
      [{ port: 3003, host: '127.0.0.1' }, null],
    )
    t.throws(() => metricsConfig({ METRICS_PORT: '70000' }), /METRICS_PORT/)
    const errors: string[] = []
    const taken = await listenForMetrics(
      { port: listener.port, host: '127.0.0.1' },
      [],
      pino(
        { level: 'error' },
        new Writable({
          write: (line, _, done) => {
            errors.push(String(line))
            done()
          },
        }),
      ),
    )
    await taken.close()
    t.match(errors, [/METRICS_PORT/], 'a port that is in use does not stop the start')
  },
)

t.test('every answer has the security headers, whatever its path and status', async t => {
  const { engine, token, close } = await startEngine()
  t.teardown(close)
  for (const [url, status] of [
    ['/healthz', 200],
    ['/api/openapi.json', 200],
    ['/api/docs', 200],
    ['/api/v0/stores/info', 200],
    ['/s/preview.js', 400],
    ['/nowhere', 404],
    ['/%zz', 400],
    ['/s/preview.js?shop=pots.example&token=x', 403],
  ] as const) {
    const { statusCode, headers } = await engine.app.inject({
      url,
      headers: { authorization: `Bearer ${token}` },
    })
    t.equal(statusCode, status, url)
    t.match(
      headers,
      {
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': /^max-age=31536000/,
      },
      url,
    )
  }
})

t.test(
  'an internal error is hidden, but its uuid finds it in the log, which has no query and no token',
  async t => {
    const lines: string[] = []
    const log = pino(
      { level: 'info' },
      new Writable({
        write: (line, _, done) => {
          lines.push(String(line))
          done()
        },
      }),
    )
    const { engine, db, token, close } = await startEngine({ log })
    t.teardown(close)
    await db.kysely.schema.dropTable('plans').cascade().execute()
    const failed = await engine.app.inject({
      url: '/api/v0/plans',
      headers: { authorization: `Bearer ${token}` },
    })
    const { uuid, message } = failed.json<{ uuid: string; message: string }>()
    t.same([failed.statusCode, message], [500, 'Something went wrong on our side.'])
    const found = lines.filter(line => line.includes(uuid))
    t.match(
      found.find(line => line.includes('"err"')),
      /plans/,
      'the log has the reason',
    )
    await engine.app.inject({
      url: '/api/v0/stores/info?id_token=very-secret',
      headers: { authorization: `Bearer ${token}` },
    })
    t.ok(lines.some(line => line.includes('"path":"/api/v0/stores/info"')))
    t.notMatch(lines.join(), /very-secret/)
    t.notMatch(lines.join(), token.split('.')[2]!)
    t.match((await engine.app.inject('/nowhere')).json(), {
      message: /nothing/,
      error: 404,
      uuid: String,
    })
  },
)

t.test('the whole configuration is checked: the error names every wrong key but no value', t => {
  t.match(engineConfig({}), {
    ENGINE_PORT: 3001,
    DATA_DIR: './data',
    PUBLIC_ORIGIN: 'http://localhost:3000',
    DEMO_SHOP_ORIGIN: 'http://localhost:3002',
  })
  t.match(
    engineConfig({
      PORT: '8080',
      DEMO_SHOP_PORT: '9',
      APP_ORIGIN: 'https://a.example',
      DATABASE_URL: '',
    }),
    {
      PUBLIC_ORIGIN: 'https://a.example',
      DEMO_SHOP_ORIGIN: 'http://localhost:9',
      DATABASE_URL: undefined,
    },
  )
  t.match(engineConfig({ GTM_ID: 'GTM-AB12' }), {
    GTM_ID: 'GTM-AB12',
    GOOGLE_COLLECT_ORIGIN: 'https://www.google-analytics.com',
  })
  t.throws(() => engineConfig({ GTM_ID: 'gtm-ab12' }), /GTM_ID/)
  t.throws(
    () => engineConfig({ GOOGLE_CLIENT_ID: 'one half' }),
    /GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET/,
  )
  t.throws(
    () => engineConfig({ NODE_ENV: 'production' }),
    /SESSION_SECRET.*DEMO_APP_SECRET|DEMO_APP_SECRET.*SESSION_SECRET/,
  )
  t.throws(
    () =>
      engineConfig({
        NODE_ENV: 'production',
        SESSION_SECRET: engineConfig({}).SESSION_SECRET,
        DEMO_APP_SECRET: 'x'.repeat(16),
      }),
    /SESSION_SECRET must be a secret of your own/,
  )
  try {
    engineConfig({
      ENGINE_PORT: '99999',
      DATABASE_URL: 'mysql://u:hunter2@h/d',
      SESSION_SECRET: 'short-secret',
    })
    t.fail('the wrong configuration was accepted')
  } catch (error) {
    for (const key of ['ENGINE_PORT', 'DATABASE_URL', 'SESSION_SECRET'])
      t.match((error as Error).message, key)
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
  const { statusCode, headers } = await engine.app.inject('/readyz')
  t.equal(statusCode, 200)
  t.notOk('strict-transport-security' in headers, 'without https there is no header about it')
  await engine.close()
  const again = await buildEngine({ config })
  t.equal(
    (await again.app.inject('/readyz')).statusCode,
    200,
    'after closing, the folder can be opened again',
  )
  await again.close()
})
