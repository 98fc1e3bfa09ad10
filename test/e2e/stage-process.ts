import type { Updateable } from 'kysely'
import { buildApp } from '../../server/app.ts'
import { appConfig } from '../../server/config.ts'
import type { StoresTable } from '../../engine/db/schema.ts'
import { listedTests } from '../../bench/listed-tests.ts'
import { startWithShop } from '../engine/support/with-shop.ts'
import { holdPort } from '../ports.ts'
import { startAppProcesses } from './round-robin.ts'

/*
 * The process of stage.ts: engine, app and the real demo shop in one process, on a database that a
 * test may change.
 * It gets orders over IPC and answers when each is done.
 */
export type Order = { id: number } & (
  | { store: Updateable<StoresTable> }
  | { listed: number }
  | { call: string; input: object }
  | { address: true }
)

const { port, release } = await holdPort()
const origin = `http://localhost:${port}`
// The shop signs merchants in with the real time, and the engine's platform checks tokens by it.
let ahead = 0
const clock = () => new Date(Date.now() + ahead)
const started = await startWithShop(
  { clock, byItself: true },
  {},
  { appOrigin: origin, clock: () => new Date() },
)
const { shopOrigin, engineOrigin } = started,
  apps = Number(process.argv[2])
const app = apps > 1 ? await startSeveral() : await startOne()
const { id: storeId } = await started.call('storeInfo', {})

process.on(
  'message',
  (order: Order) =>
    void obey(order).then(
      answer => process.send!({ id: order.id, answer }),
      (error: unknown) => process.send!({ id: order.id, error: String(error) }),
    ),
)
process.on(
  'disconnect',
  () =>
    void Promise.allSettled([app.close()])
      .then(() => started.close())
      .finally(() => process.exit(0)),
)
process.send!({ id: 0, answer: { origin, shopOrigin: started.shopOrigin, storeId } })

async function startOne(): Promise<{ close: () => Promise<void> }> {
  const one = await buildApp({
    config: appConfig({ APP_ORIGIN: origin }),
    upstreamOrigin: engineOrigin,
    clock,
  })
  await release()
  await one.app.listen({ port, host: '127.0.0.1' })
  return one
}

async function startSeveral(): Promise<{ close: () => Promise<void> }> {
  await release()
  return startAppProcesses(apps, port, { origin, shopOrigin, engineOrigin })
}

async function obey(order: Order): Promise<unknown> {
  // Move the clock 11 seconds: the app caches a store for some seconds and would show the old
  // state.
  if ('store' in order) ahead += 11_000
  if ('address' in order) return `${origin}/?id_token=${await started.idToken()}`
  if ('call' in order) return started.call(order.call as 'createDraft', order.input as never)
  if ('listed' in order)
    return listedTests(started.db, storeId, order.listed, clock()).then(() => null)
  return started.db.kysely
    .updateTable('stores')
    .set(order.store)
    .where('store_id', '=', storeId)
    .execute()
    .then(() => null)
}
