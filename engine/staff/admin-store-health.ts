import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Reconciled } from '../../domain/platform/reconciled.ts'
import { HttpProblem } from '../../domain/problem.ts'
import {
  type ScriptFinding,
  type ScriptState,
  type StoreHealth,
  storeTroubles,
  storeTroublesOf,
} from '../../domain/staff/staff-health.ts'
import { hasLapsed } from '../../domain/stores/store-subscription.ts'
import { day } from '../../domain/time-units.ts'
import { pageIn } from './admin-lists.ts'
import { type StaffStore, staffStores, storeNameOf } from './admin-stores.ts'
import type { EngineContext } from '../context.ts'
import { knownId, notFound, type StaffServe } from '../http/routes.ts'
import { dayIn } from '../events/fold/visit-day.ts'

type Signs = {
  id: string
  wanted: number | null
  published: number | null
  attempts: number | null
  error: string | null
  publishedAt: Date | null
  finding: ScriptFinding | null
  checkedAt: Date | null
  signedInAt: Date | null
  lastEventDay: string | null
  reconciledAt: Date | null
  found: Reconciled | null
}

/** Serves the health of stores, and a check of a shop's script. */
export function adminStoreHealth(serve: StaffServe, context: EngineContext): void {
  const {
    db: { kysely },
    platform,
  } = context

  serve(
    'adminStoreHealth',
    async ({
      query: { view = 'all', sort = 'troubles', descending = sort !== 'name', ...query },
    }) => {
      const stores = await storeHealth(context, sql<SqlBool>`true`)
      const troubled = stores.filter(({ troubles }) => troubles.length > 0)
      const { rows, count } = pageIn(
        view === 'troubled' ? troubled : stores,
        { ...query, descending },
        ({ name, shop }) => `${name} ${shop}`,
        store => sortValue(store, sort),
      )
      const troubles = Object.fromEntries(
        storeTroubles.map(name => [
          name,
          troubled.filter(store => store.troubles.includes(name)).length,
        ]),
      ) as Record<(typeof storeTroubles)[number], number>
      return { stores: rows, count, all: stores.length, troubled: troubled.length, troubles }
    },
  )

  serve('checkScript', async ({ params: { id } }) => {
    const storeId = knownId(id, 'store')
    const store = await kysely
      .selectFrom('stores as s')
      .leftJoin('published_scripts as p', 'p.store_id', 's.store_id')
      .select(['s.shop', 's.status', 'p.url', 'p.etag', 'p.wanted', 'p.published'])
      .where('s.store_id', '=', storeId)
      .executeTakeFirst()
    if (!store) throw notFound('store')
    if (store.status !== 'installed') throw new HttpProblem(409, 'The store is uninstalled.')
    if (!store.url) throw new HttpProblem(409, 'Nothing has been published for this store yet.')
    // Uses the database's clock, as the time of a publication does: the two are compared.
    const checked = {
      finding: await platform.scriptFinding(store.shop, { url: store.url, etag: store.etag }),
      checked_at: sql<Date>`now()`,
    }
    const { finding, checked_at } = await kysely
      .insertInto('script_checks')
      .values({ store_id: storeId, ...checked })
      .onConflict(oc => oc.column('store_id').doUpdateSet(checked))
      .returning(['finding', 'checked_at'])
      .executeTakeFirstOrThrow()
    return { finding, at: checked_at.toISOString() }
  })
}

/** The matching stores with their problems, ordered by name. */
export async function storeHealth(
  context: Pick<EngineContext, 'db' | 'clock'>,
  where: RawBuilder<SqlBool>,
): Promise<StoreHealth[]> {
  const now = context.clock()
  const { rows } = await sql<Signs>`
      select s.store_id as id, p.wanted, p.published, p.attempts, p.last_error as error, p.published_at as "publishedAt", c.finding, c.checked_at as "checkedAt", i.at as "signedInAt", r.ran_at as "reconciledAt", r.found,
        (select substr(max(v.period), 5) from store_periods v where v.store_id = s.store_id and v.period >= 'day:' and v.period < 'day;') as "lastEventDay"
      from stores s left join published_scripts p on p.store_id = s.store_id left join script_checks c on c.store_id = s.store_id left join store_sign_ins i on i.store_id = s.store_id left join reconciliations r on r.store_id = s.store_id where ${where}`.execute(
    context.db.kysely,
  )
  const signs = new Map(rows.map(row => [row.id, row]))
  return (await staffStores(context, where)).flatMap(store =>
    signs.has(store.id) ? [healthOf(store, signs.get(store.id)!, now)] : [],
  )
}

function healthOf(store: StaffStore, signs: Signs, now: Date): StoreHealth {
  // A check is out of date when the script was published after it.
  const isCheckOfNow =
    signs.checkedAt !== null && (signs.publishedAt === null || signs.checkedAt >= signs.publishedAt)
  const health = {
    ...storeNameOf(store),
    status: store.status,
    subscriptionStatus: store.subscriptionStatus,
    plan: store.plan,
    script: {
      state: stateOf(signs),
      publishedAt: signs.publishedAt?.toISOString() ?? null,
      error: signs.error,
      check: isCheckOfNow ? { finding: signs.finding!, at: signs.checkedAt!.toISOString() } : null,
    },
    lastEventDay: signs.lastEventDay,
    lastSignInAt: signs.signedInAt?.toISOString() ?? null,
    reconciled: signs.reconciledAt && {
      at: signs.reconciledAt.toISOString(),
      found: signs.found!,
    },
    visitors: store.visitors,
    visitorLimit: store.visitorLimit,
    isOnTrial: store.isOnTrial,
    runningTests: store.runningTests,
  }
  return {
    ...health,
    troubles: storeTroublesOf({
      ...health,
      hasLapsed: hasLapsed(store),
      twoDaysAgo: dayIn(store.timeZone, now.getTime() - 2 * day),
      installedFor: now.getTime() - (store.installedAt ?? store.createdAt).getTime(),
    }),
  }
}

function stateOf({ wanted, published, attempts, publishedAt }: Signs): ScriptState {
  if (wanted === null) return 'none'
  if (wanted > published!) return attempts! > 0 ? 'failing' : 'waiting'
  return publishedAt === null ? 'none' : 'published'
}

function sortValue(
  store: StoreHealth,
  sort: 'troubles' | 'name' | 'lastEventDay' | 'lastSignInAt' | 'usage',
): string | number | null {
  if (sort === 'troubles') return store.troubles.length
  if (sort === 'usage') return store.visitorLimit ? store.visitors / store.visitorLimit : null
  return store[sort]
}
