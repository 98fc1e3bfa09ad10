import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { openLimits } from '../../../engine/http/shared-limits.ts'
import { postgresLimits, redisLimits } from '../../../engine/http/limit-stores.ts'
import { freePort } from '../../../scripts/free-port.ts'
import { startRedis } from '../../../scripts/testing/servers.ts'
import { quietLog } from '../support/quiet-log.ts'
import {
  type SettledLimits,
  settledLimits,
  takeInTurn,
} from '../support/processes/settled-limits.ts'
import { threeDbs } from '../support/processes/three-dbs.ts'
import { sessionSecret } from '../support/small-shop.ts'

const secret = new Uint8Array(32)
const most = 100

const take = (processes: readonly SettledLimits[], key: string, times: number) =>
  takeInTurn(processes, { key, most, times })

const warnings = () => {
  const said: string[] = []
  return { said, log: { warn: (_: unknown, text?: string) => said.push(text ?? String(_)) } }
}

t.test('processes on one Postgres count together, and no address is stored', async t => {
  const dbs = await threeDbs(t)
  const limits = dbs.map(db => settledLimits(postgresLimits(db.pool!, { secret, log: quietLog })))
  const passed = await take(limits, '203.0.113.7', 80)
  t.ok(passed >= most - 3, `${passed} of 240 passed, for a limit of ${most}`)
  t.ok(passed <= most * 1.15 + 3, 'at most a twentieth more for each process')
  t.equal(await take(limits, '198.51.100.1', 5), 15, 'another address has its own limit')

  const { rows } = await dbs[0]!.pool!.query<{ key: string }>('select * from rate_limits')
  t.ok(rows.length > 0)
  t.notMatch(JSON.stringify(rows), /203\.0\.113|198\.51\.100/, 'keys are hashed')
  for (const { key } of rows) t.match(key, /^:?[\w-]{22}$/)
})

t.test('with Redis they count there; when it goes away each counts by itself', async t => {
  const redis = await startRedis()
  t.teardown(redis.stop)
  const { said, log } = warnings()
  const url = `redis://127.0.0.1:${redis.port}`
  const limits = await Promise.all(
    [0, 1].map(async () => settledLimits(await redisLimits(url, { secret, log }))),
  )
  t.teardown(() => Promise.all(limits.map(each => each.close())))
  const passed = await take(limits, 'one', 80)
  t.ok(passed >= most - 3 && passed <= most * 1.1 + 2, `${passed} passed together`)

  await redis.kill()
  t.equal(await take(limits, 'two', 150), 2 * most, 'each process has the whole limit')
  t.same(
    limits.map(each => each.isShared()),
    [false, false],
  )
  t.equal(said.length, 2, 'each process says so once')
  t.match(said[0], /Redis does not answer: each process counts limits by itself/)

  await redis.start()
  for (const end = Date.now() + 10_000; limits.some(each => !each.isShared());) {
    if (Date.now() > end) return t.fail('it never counts together again')
    await take(limits, `probe ${Date.now()}`, 10)
    await setTimeout(100)
  }
  const again = await take(limits, 'three', 80)
  t.ok(again >= most - 3 && again <= most * 1.1 + 2, `${again} passed together again`)
  t.match(said.slice(2), [/answers again/, /answers again/])
})

t.test('an engine does not start when Redis does not answer, and says which', async t => {
  const port = await freePort()
  const config = {
    REDIS_URL: `redis://:hidden@127.0.0.1:${port}/0`,
    SESSION_SECRET: sessionSecret,
  }
  const message = await openLimits({}, config, quietLog).then(
    () => '',
    (error: Error) => error.message,
  )
  t.match(message, `Redis at 127.0.0.1:${port} (REDIS_URL) does not answer: connect ECONNREFUSED`)
  t.notMatch(message, 'hidden')
})
