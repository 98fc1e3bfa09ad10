import { sql } from 'kysely'
import t from 'tap'
import type { FaultKind } from '../../../../demo-shop/shopify/api/faults.ts'
import { add } from '../../../../engine/jobs/queue.ts'
import { shopifyShop as shop } from '../../support/shops/shopify-stage.ts'
import { tradeOrders } from '../../support/shops/shopify-trade.ts'
import { startOnBoth } from '../../support/shops/both-platforms.ts'

t.setTimeout(300_000)
const hour = 3_600_000
// All deliveries are lost, so that the nightly job has something to do.
const stage = await startOnBoth(
  { CHROMIUM_PATH: 'off' },
  {
    engineOrigin: 'http://localhost:1',
    webhookWait: 24 * hour,
  },
)
t.teardown(stage.close)
const { call, db, now, engine } = stage,
  face = stage.shop.shopify!
await call('auth', { body: { idToken: await face.idToken() } })
const { store_id: storeId } = await db.kysely
  .selectFrom('stores')
  .select('store_id')
  .where('shop', '=', shop)
  .executeTakeFirstOrThrow()

/** The last run of the nightly job, after everything that is due now. */
async function nightly() {
  await engine.runJobs()
  return db.kysely
    .selectFrom('jobs')
    .select(['status', 'message', 'attempts'])
    .where('store_id', '=', storeId)
    .where('kind', '=', 'reconciliation')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
}
const orders = async () =>
  (await sql<{ count: number }>`select count(*)::int as count from orders where store_id = ${storeId}`.execute(db.kysely)).rows[0]!.count // prettier-ignore

/** Nobody waits for this job, so what is put off is only in the log. */
const cases: [
  FaultKind,
  { status: string; message?: RegExp },
  { times: number | null; seconds?: number },
][] = [
  ['401', { status: 'completed', message: /merchant must sign in first/ }, { times: null }],
  ...(['402', '403', '404', '423', '500', '503', 'cut', 'nonsense'] as const).map(
    kind => [kind, { status: 'queued' }, { times: null }] satisfies (typeof cases)[number],
  ),
  // These pass while the job waits.
  ['429', { status: 'completed', message: /^Found: 1 order/ }, { times: 1 }],
  ['slow', { status: 'completed', message: /^Found: 1 order/ }, { times: 1, seconds: 1 }],
]
for (const [n, [kind, found, fault]] of cases.entries())
  t.test(
    `${kind}: a job is put off or ends, leaves nothing half done, and does its work later`,
    async t => {
      const before = await orders()
      await tradeOrders(stage.shop, 1, 300 + n)
      now.at = new Date(now.at.getTime() + hour)
      face.faults.set([{ kind, on: 'api', ...fault }])
      await add(db.kysely, { storeId, kind: 'reconciliation' }, now.at)
      const job = await nightly()
      t.match(job, found, `${job.status}, ${job.message}`)
      face.faults.set([])
      if (fault.times === null) t.equal(await orders(), before, 'nothing is stored')
      // What is put off runs within hours. What has ended is there again the next night.
      now.at = new Date(now.at.getTime() + 12 * hour)
      if (['completed', 'errored'].includes(job.status)) {
        await call('auth', { body: { idToken: await face.idToken() } })
        await add(db.kysely, { storeId, kind: 'reconciliation' }, now.at)
      }
      t.match(await nightly(), { status: 'completed', message: /^Found: / })
      t.equal(await orders(), before + 1)
    },
  )
