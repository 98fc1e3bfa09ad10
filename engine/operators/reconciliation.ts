import { sql } from 'kysely'
import {
  addReconciled,
  type Reconciled,
  reconciledInWords,
} from '../../domain/platform/reconciled.ts'
import { HttpProblem, LaterProblem, VendorProblem } from '../../domain/problem.ts'
import { day, hour, minute } from '../../domain/time-units.ts'
import type { EngineContext } from '../context.ts'
import { isBusy } from '../db/busy.ts'
import { reconciliationKey } from '../db/installed.ts'
import { FewAttempts, type JobHandler, type JobRun } from '../jobs/jobs.ts'
import { SignInNeeded } from '../platform/tokens.ts'
import { leftByPlatform } from '../stores/uninstall-events.ts'
import type { ComparedStore, Step } from './compared-store.ts'
import { reconcileOrders } from './reconcile-orders.ts'
import { reconcileTests, shopSteps, testsThat } from './reconcile-shop.ts'

/** Webhooks of this time may still be on their way, so nothing of it counts as lost. */
const onTheWay = 15 * minute
/**
 * How long the platform must refuse us before we believe that the shop has left: when it answers
 * for another shop, when we have no other shop there, and when it refuses all others, too.
 */
const refusedFor = { usual: hour, alone: day, all: 7 * day }
const maxAttempts = 4
const steps: readonly Step[] = [...shopSteps, reconcileOrders, reconcileTests]

/**
 * Compares a store with the platform once a night (nightly.ts), and repairs what webhooks have not
 * told us, with the handlers of those webhooks (decision 083).
 */
export const reconciliation =
  (context: EngineContext): JobHandler =>
  async run => {
    const { storeId, state } = run
    const row = await context.db.kysely
      .selectFrom('stores as s')
      .leftJoin('reconciliations as r', 'r.store_id', 's.store_id')
      .select(['s.shop', 's.platform', 's.installed_at', 's.created_at', 'r.read_until'])
      .where('s.store_id', '=', storeId)
      .where('s.status', '=', 'installed')
      .executeTakeFirst()
    if (!row) return run.progress(1, 'Nothing was compared: the app is not installed')
    const store: ComparedStore = {
      storeId,
      shop: row.shop,
      platform: row.platform,
      installedAt: row.installed_at ?? row.created_at,
      readUntil: row.read_until,
      until: new Date(String(state['until'] ?? sooner(context.clock(), onTheWay).toISOString())),
      running:
        (state['running'] as string[] | undefined) ?? (await testsThat(context, storeId, 'Active')),
      run,
    }
    try {
      const found = await compare(context, store, run)
      await keep(context, store, found)
      await run.progress(1, `Found: ${reconciledInWords(found) ?? 'nothing'}`)
    } catch (error) {
      if (error instanceof SignInNeeded)
        if (error.isUninstalled) await refused(context, store, run)
        else await run.progress(1, 'Nothing was compared: the merchant must sign in first')
      // The sample stores have no shop.
      else if (error instanceof HttpProblem && error.status === 404)
        await run.progress(1, `Nothing was compared: ${error.message}`)
      else throw later(context, store, error)
    }
  }

async function compare(
  context: EngineContext,
  store: ComparedStore,
  { state, signal, checkpoint }: JobRun,
): Promise<Reconciled> {
  const isRefusal = (error: unknown) => error instanceof HttpProblem && error.status < 500
  let { step = 0, found = {} } = state as { step?: number; found?: Reconciled }
  for (const next of steps.slice(step)) {
    signal.throwIfAborted()
    try {
      found = addReconciled(found, await next(context, store))
    } catch (error) {
      // A platform that does not know the shop says so at once. Later, a refusal is about one thing
      // of the shop, and must not keep the others from being compared, night after night.
      if (step === 0 || !isRefusal(error)) throw error
      context.log.error({ err: error, storeId: store.storeId }, 'a part was not compared')
    }
    await checkpoint({
      step: ++step,
      found,
      until: store.until.toISOString(),
      running: store.running,
    })
  }
  return found
}

/** Stores what the run found, and up to when it has read. */
async function keep(
  { db: { kysely }, clock, log }: EngineContext,
  { storeId, until }: ComparedStore,
  found: Reconciled,
): Promise<void> {
  await note(kysely, storeId, found, { ran_at: clock(), read_until: until, refused_at: null })
  if (reconciledInWords(found) !== null)
    log.warn({ storeId, found }, 'the platform knew more than its webhooks had told us; repaired')
}

async function note(
  kysely: EngineContext['db']['kysely'],
  storeId: string,
  found: Reconciled,
  set: { ran_at: Date; read_until?: Date; refused_at: null },
): Promise<void> {
  await kysely.transaction().execute(async trx => {
    const row = await trx
      .selectFrom('reconciliations')
      .select('total')
      .where('store_id', '=', storeId)
      .forUpdate()
      .executeTakeFirst()
    const values = {
      ...set,
      found: JSON.stringify(found),
      total: JSON.stringify(addReconciled(row?.total ?? {}, found)),
    }
    await trx
      .insertInto('reconciliations')
      .values({ store_id: storeId, ...values })
      .onConflict(oc => oc.column('store_id').doUpdateSet(values))
      .execute()
  })
}

/**
 * The platform refuses our access. If it still does later, the app was uninstalled and we have not
 * heard of it.
 */
async function refused(
  context: EngineContext,
  { storeId, platform, installedAt }: ComparedStore,
  { progress }: JobRun,
): Promise<void> {
  const {
    db: { kysely },
    clock,
    jobs,
    log,
  } = context
  const now = clock()
  // A refusal of an earlier installation says nothing about this one.
  const { refused_at: since } = await kysely
    .insertInto('reconciliations')
    .values({ store_id: storeId, refused_at: now })
    .onConflict(oc =>
      oc.column('store_id').doUpdateSet({
        refused_at: sql<Date>`case when reconciliations.refused_at >= ${installedAt} then reconciliations.refused_at else excluded.refused_at end`,
      }),
    )
    .returning('refused_at')
    .executeTakeFirstOrThrow()
  const others = await othersRefused(kysely, { storeId, platform, since: since! })
  if (now.getTime() - since!.getTime() >= refusedFor[others]) {
    const left = await leftByPlatform(context, storeId, since!)
    await note(kysely, storeId, left ? { uninstalls: 1 } : {}, { ran_at: now, refused_at: null })
    return progress(
      1,
      left
        ? 'The app was uninstalled at the platform'
        : 'The app was uninstalled or installed again meanwhile',
    )
  }
  log.error(
    { storeId, platform, since },
    others === 'usual'
      ? 'the platform refuses our access to a shop; it counts as uninstalled if it still does in an hour'
      : 'the platform refuses our access to every shop: check the credentials of the app there',
  )
  await jobs.add(kysely, {
    storeId,
    kind: 'reconciliation',
    key: reconciliationKey,
    runAt: new Date(now.getTime() + refusedFor.usual),
  })
  await progress(1, 'The platform refuses our access; it is asked again in an hour')
}

/**
 * Whether the platform answers for another shop meanwhile (`usual`). Else the cause may be our own
 * credentials: there is no other shop that we have reached before (`alone`), or none was reached
 * since (`all`).
 */
async function othersRefused(
  kysely: EngineContext['db']['kysely'],
  { storeId, platform, since }: { storeId: string; platform: string; since: Date },
): Promise<keyof typeof refusedFor> {
  const {
    rows: [others],
  } = await sql<{ count: number; compared: number }>`
    select count(*)::int as count, (count(*) filter (where r.ran_at >= ${since}))::int as compared
    from stores s join reconciliations r on r.store_id = s.store_id and r.ran_at is not null
    where s.platform = ${platform} and s.status = 'installed' and s.store_id <> ${storeId}`.execute(
    kysely,
  )
  if (others!.count === 0) return 'alone'
  return others!.compared === 0 ? 'all' : 'usual'
}

/** The error with which the job continues from its last step in some seconds, or ends. */
function later({ log }: EngineContext, { storeId }: ComparedStore, error: unknown): unknown {
  if (
    error instanceof HttpProblem &&
    !(error instanceof VendorProblem || error instanceof LaterProblem)
  )
    return error
  if (!(error instanceof HttpProblem) && !isBusy(error)) return error
  log.warn({ err: error, storeId }, 'a store was not compared with its platform')
  return new FewAttempts('The shop did not answer. It is compared again next night.', maxAttempts)
}

const sooner = (at: Date, milliseconds: number): Date => new Date(at.getTime() - milliseconds)
