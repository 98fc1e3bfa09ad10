import { sql } from 'kysely'
import {
  changedFlags,
  type FeatureFlag,
  flagWords,
  publishesScript,
} from '../../domain/feature-flag.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { StoreName } from '../../domain/staff/staff-list.ts'
import type { FeatureStore } from '../../domain/staff/staff-stores.ts'
import { featureFlags } from '../../domain/stores/store.ts'
import { holds, pageOf } from './admin-lists.ts'
import {
  planColumns,
  type PlanColumns,
  planNameOf,
  storeColumns,
  storeNameOf,
} from './admin-stores.ts'
import type { EngineContext } from '../context.ts'
import { knownId, notFound, type StaffServe } from '../http/routes.ts'
import { audit } from './people/staff-audit.ts'

type Row = StoreName &
  PlanColumns & { status: FeatureStore['status']; flags: string[]; updatedAt: Date }
const columns = sql`${storeColumns}, s.status, s.feature_flags as flags, s.updated_at as "updatedAt", ${planColumns}`
const from = sql`stores s left join plans p on p.plan_id = s.plan_id`
const sorts = {
  name: sql`lower(s.name)`,
  flags: sql`jsonb_array_length(s.feature_flags)`,
  createdAt: sql`s.created_at`,
}

/** Serves the feature flags of stores, and switches them. */
export function adminFeatures(
  serve: StaffServe,
  { db: { kysely }, clock, publisher }: EngineContext,
): void {
  serve('adminFeatures', async ({ query }) => {
    const { rows, count } = await pageOf<Row>(kysely, query, {
      columns,
      from,
      where: holds(query.search, 's.name', 's.shop', 's.domain', 's.email'),
      by: sorts[query.sort ?? 'name'],
      tie: sql`lower(s.name), s.shop`,
    })
    return { stores: rows.map(featureStore), count }
  })

  serve('adminStoreFeatures', ({ params: { id } }) => find(id))

  serve('switchFeatures', async ({ params: { id }, body: { on, off } }, staff) => {
    const both = on.filter(flag => off.includes(flag))
    if (both.length > 0)
      throw new HttpProblem(400, `Both switched on and switched off: ${both.join(', ')}.`, [
        { field: 'off', message: 'A flag is switched on or off, not both.' },
      ])
    const storeId = knownId(id, 'store')
    const publishes = await kysely.transaction().execute(async trx => {
      const store = await trx
        .selectFrom('stores')
        .select(['feature_flags', 'status', 'shop'])
        .where('store_id', '=', storeId)
        .forUpdate()
        .executeTakeFirst()
      if (!store) throw notFound('store')
      const before = featureFlags.filter(flag => store.feature_flags.includes(flag)),
        after = changedFlags(before, { on, off })
      const added = after.filter(flag => !before.includes(flag)),
        taken = before.filter(flag => !after.includes(flag))
      if (added.length + taken.length === 0) return false
      const at = clock()
      await trx
        .updateTable('stores')
        .set({ feature_flags: JSON.stringify(after), updated_at: at })
        .where('store_id', '=', storeId)
        .execute()
      await audit(trx, {
        at,
        by: staff.id,
        act: 'Switched feature flags',
        about: storeId,
        detail: `${store.shop}. ${[inWords('On', added), inWords('Off', taken)].filter(Boolean).join(' ')}`,
      })
      const isForScript = store.status === 'installed' && publishesScript(added, taken)
      if (isForScript) await publisher.request(trx, storeId)
      return isForScript
    })
    // Not awaited: the shop may be slow, and a failed publication is retried.
    if (publishes) void publisher.publish(storeId)
    return find(storeId)
  })

  async function find(id: string): Promise<FeatureStore> {
    const {
      rows: [row],
    } =
      await sql<Row>`select ${columns} from ${from} where s.store_id = ${knownId(id, 'store')}`.execute(
        kysely,
      )
    if (!row) throw notFound('store')
    return featureStore(row)
  }
}

const inWords = (what: string, flags: FeatureFlag[]): string =>
  flags.length > 0 ? `${what}: ${flags.map(flag => flagWords[flag].label).join(', ')}.` : ''

const featureStore = (row: Row): FeatureStore => ({
  ...storeNameOf(row),
  status: row.status,
  plan: planNameOf(row),
  flags: featureFlags.filter(flag => row.flags.includes(flag)),
  updatedAt: row.updatedAt.toISOString(),
})
