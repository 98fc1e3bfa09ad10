import { sql, type SqlBool } from 'kysely'
import { planLevels } from '../../domain/plans/plan-level.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { scriptStandingOf } from '../../domain/staff/staff-health.ts'
import type { Trial, TrialStore } from '../../domain/staff/staff-stores.ts'
import { pageIn } from './admin-lists.ts'
import { storeHealth } from './admin-store-health.ts'
import { type StaffStore, staffStores, storeNameOf } from './admin-stores.ts'
import { syncBilling } from '../plans/billing.ts'
import type { EngineContext } from '../context.ts'
import { knownId, notFound, type StaffServe } from '../http/routes.ts'
import { audit } from './people/staff-audit.ts'

/**
 * A request to the platform without an answer after this time belongs to a dead process.
 * Milliseconds.
 */
const longestAsking = 15_000
const week = 7

/** Serves the stores on trial, and extends a trial. */
export function adminTrials(serve: StaffServe, context: EngineContext): void {
  const {
    db: { kysely },
    clock,
    platform,
    log,
  } = context

  serve('adminTrials', async ({ query }) => {
    const where = sql<SqlBool>`s.status = 'installed' and s.subscription_status = 'Active' and s.trial_end > ${clock()}`
    const health = new Map((await storeHealth(context, where)).map(store => [store.id, store]))
    const all = (await staffStores(context, where)).flatMap(store => {
      const signs = health.get(store.id)
      return store.isOnTrial && signs
        ? [
            {
              ...store,
              script: scriptStandingOf({
                state: signs.script.state,
                finding: signs.script.check?.finding ?? null,
              }),
              lastEventDay: signs.lastEventDay,
            },
          ]
        : []
    })
    const asked = all.filter(
      ({ daysLeft, level, script }) =>
        (query.endsWithin === undefined || daysLeft <= query.endsWithin) &&
        (query.level === undefined || level === planLevels[query.level]) &&
        (query.script === undefined || script === query.script),
    )
    const { rows, count } = pageIn(
      asked,
      query,
      ({ name, shop, domain, email }) => `${name} ${shop} ${domain} ${email ?? ''}`,
      store => sortValue(store, query.sort ?? 'trialEnd'),
    )
    const stores = rows.map(store => ({
      ...storeNameOf(store),
      plan: store.plan,
      trialEnd: store.trialEnd!.toISOString(),
      daysLeft: store.daysLeft,
      visitors: store.visitors,
      visitorLimit: store.visitorLimit,
      tests: store.tests,
      script: store.script,
      lastEventDay: store.lastEventDay,
    }))
    return {
      stores,
      count,
      all: all.length,
      endThisWeek: all.filter(({ daysLeft }) => daysLeft <= week).length,
    }
  })

  serve('adminTrial', ({ params: { id } }) => trialOf(context, id))

  serve('extendTrial', async ({ params: { id }, body: { days, trialEnd } }, staff) => {
    const store = await find(context, id)
    const refused = (message: string) => new HttpProblem(409, message, [{ field: 'days', message }])
    if (!store.isOnTrial || store.subscriptionId === null)
      throw refused('This store is not on trial.')
    if (Date.parse(trialEnd) !== store.trialEnd!.getTime())
      throw refused(
        'The trial’s end has changed meanwhile. Check the new end, then extend it again if needed.',
      )
    const own = { store_id: store.id, trial_end: store.trialEnd! },
      asking = { days, user_id: staff.id, asked_at: clock() }
    const claimed = await kysely
      .insertInto('trial_extensions')
      .values({ ...own, ...asking, done_at: null })
      .onConflict(oc =>
        oc
          .columns(['store_id', 'trial_end'])
          .doUpdateSet(asking)
          .where('trial_extensions.done_at', 'is', null)
          .where(
            'trial_extensions.asked_at',
            '<=',
            new Date(asking.asked_at.getTime() - longestAsking),
          ),
      )
      .returning('store_id')
      .executeTakeFirst()
    if (!claimed)
      throw refused('Somebody is extending this trial right now. Reload the page in a moment.')
    try {
      await platform.extendTrial(store.shop, store.subscriptionId, days)
    } catch (error) {
      await kysely
        .deleteFrom('trial_extensions')
        .where('store_id', '=', own.store_id)
        .where('trial_end', '=', own.trial_end)
        .where('done_at', 'is', null)
        .execute()
      throw error
    }
    await kysely.transaction().execute(async trx => {
      const at = clock()
      await trx
        .updateTable('trial_extensions')
        .set({ done_at: at })
        .where('store_id', '=', own.store_id)
        .where('trial_end', '=', own.trial_end)
        .execute()
      await audit(trx, {
        at,
        by: staff.id,
        act: 'Extended a trial',
        about: store.id,
        detail: `${store.shop} by ${days} ${days === 1 ? 'day' : 'days'}`,
      })
    })
    // The platform will report this too. Asking now lets the answer show the new end.
    await syncBilling(context, store.id).catch(error =>
      log.warn({ err: error, storeId: store.id }, 'the extended trial was not read'),
    )
    return trialOf(context, store.id)
  })
}

type Reading = Pick<EngineContext, 'db' | 'clock'>
async function find(context: Reading, id: string): Promise<StaffStore> {
  const [store] = await staffStores(context, sql<SqlBool>`s.store_id = ${knownId(id, 'store')}`)
  if (!store) throw notFound('store')
  return store
}

/**
 * A store's trial: running, over, or never begun. Throws HttpProblem 404 when the store does not
 * exist.
 */
export async function trialOf(context: Reading, id: string): Promise<Trial> {
  const store = await find(context, id)
  const extensions = await context.db.kysely
    .selectFrom('trial_extensions as e')
    .innerJoin('staff_users as u', 'u.user_id', 'e.user_id')
    .select(['e.done_at', 'e.days', 'e.trial_end', 'u.name'])
    .where('e.store_id', '=', store.id)
    .where('e.done_at', 'is not', null)
    .orderBy('e.done_at', 'desc')
    .limit(50)
    .execute()
  const {
    domain,
    email,
    status,
    subscriptionStatus,
    plan,
    daysLeft,
    isOnTrial,
    visitors,
    visitorLimit,
    tests,
  } = store
  return {
    ...storeNameOf(store),
    domain,
    email,
    status,
    subscriptionStatus,
    plan,
    daysLeft,
    isOnTrial,
    visitors,
    visitorLimit,
    tests,
    createdAt: store.createdAt.toISOString(),
    trialEnd: store.trialEnd?.toISOString() ?? null,
    extensions: extensions.map(({ done_at, days, trial_end, name }) => ({
      at: done_at!.toISOString(),
      days,
      from: trial_end.toISOString(),
      by: name,
    })),
  }
}

const sortValue = (
  store: StaffStore & Pick<TrialStore, 'lastEventDay'>,
  sort: 'name' | 'trialEnd' | 'visitors' | 'tests' | 'lastEventDay',
): string | number | null => (sort === 'trialEnd' ? store.trialEnd!.getTime() : store[sort])
