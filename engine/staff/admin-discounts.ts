import { type Kysely, sql, type SqlBool } from 'kysely'
import { discountKey } from '../../domain/plans/discount.ts'
import { HttpProblem } from '../../domain/problem.ts'
import {
  type AppliedDiscount,
  type DiscountCode,
  discountProblems,
  discountStates,
  discountValue,
} from '../../domain/staff/staff-discounts.ts'
import { holds, pageOf } from './admin-lists.ts'
import {
  planColumns,
  type PlanColumns,
  planNameOf,
  storeColumns,
  storeNameOf,
} from './admin-stores.ts'
import type { EngineContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { wasUsed } from '../plans/discounts.ts'
import { planOf } from '../plans/plans.ts'
import { notFound, type StaffServe } from '../http/routes.ts'
import { audit } from './people/staff-audit.ts'
import { unstorable } from '../http/validation.ts'

type Row = PlanColumns &
  Pick<
    DiscountCode,
    'code' | 'valueType' | 'value' | 'planId' | 'hasEnded' | 'stores' | 'maxStores'
  > & { expiresAt: Date | null; createdAt: Date }
type AppliedRow = PlanColumns &
  Pick<AppliedDiscount, 'code' | 'valueType' | 'value' | 'status'> &
  AppliedDiscount['store'] & { at: Date; currentPeriodEndsAt: Date | null }

const stores = sql<number>`(select count(distinct u.store_id)::int from subscriptions u where u.discount_code = d.code and ${wasUsed})`
const from = sql`discount_codes d left join plans p on p.plan_id = d.plan_id`
const sorts = {
  code: sql`d.code`,
  value: sql`d.value`,
  expiresAt: sql`d.expires_at`,
  stores,
  createdAt: sql`d.created_at`,
}
const appliedSorts = { code: sql`d.code`, store: sql`lower(s.name)`, at: sql`u.created_at` }

/** Serves the discount codes and the stores that use them. */
export function adminDiscounts(serve: StaffServe, { db: { kysely }, clock }: EngineContext): void {
  const hasEnded = (now: Date) =>
    sql<SqlBool>`(d.expires_at is not null and d.expires_at <= ${now})`
  const columns = (
    now: Date,
  ) => sql`d.code, d.value_type as "valueType", d.value, d.plan_id as "planId", d.expires_at as "expiresAt", ${hasEnded(now)} as "hasEnded",
    ${stores} as stores, d.max_stores as "maxStores", d.created_at as "createdAt", ${planColumns}`

  serve('adminPlans', () => allPlans())

  serve('adminDiscounts', async ({ query }) => {
    const now = clock(),
      { state, sort = 'createdAt', descending = sort === 'createdAt' } = query
    const where = [
      ...holds(query.search, 'd.code', 'p.title'),
      ...(state === 'ended'
        ? [hasEnded(now)]
        : state === 'open'
          ? [sql<SqlBool>`not ${hasEnded(now)}`]
          : []),
    ]
    const { rows, count } = await pageOf<Row>(
      kysely,
      { ...query, descending },
      { columns: columns(now), from, where, by: sorts[sort], tie: sql`d.code` },
    )
    const { rows: counted } = await sql<{
      ended: boolean
      n: number
    }>`select ${hasEnded(now)} as ended, count(*)::int as n from discount_codes d group by 1`.execute(
      kysely,
    )
    const counts = Object.fromEntries(
      discountStates.map(name => [
        name,
        counted.find(({ ended }) => ended === (name === 'ended'))?.n ?? 0,
      ]),
    ) as Record<(typeof discountStates)[number], number>
    return { codes: rows.map(codeOf), count, counts }
  })

  serve('addDiscount', async ({ body }, staff) => {
    const problems = discountProblems(body, await allPlans(), clock())
    if (problems.length > 0)
      throw new HttpProblem(400, problems.map(({ message }) => message).join(' '), problems)
    const code = discountKey(body.code),
      at = clock(),
      taken = `There is a code ${code} already.`
    await kysely.transaction().execute(async trx => {
      const added = await trx
        .insertInto('discount_codes')
        .values({
          code,
          value_type: body.valueType,
          value: body.value,
          plan_id: body.planId,
          expires_at: body.expiresAt === null ? null : new Date(body.expiresAt),
          max_stores: body.maxStores,
          created_at: at,
        })
        .onConflict(oc => oc.column('code').doNothing())
        .returning('code')
        .executeTakeFirst()
      if (!added) throw new HttpProblem(409, taken, [{ field: 'code', message: taken }])
      await audit(trx, {
        at,
        by: staff.id,
        act: 'Added a discount code',
        about: code,
        detail: `${code}, ${discountValue(body)}`,
      })
    })
    return find(code)
  })

  serve('endDiscount', async ({ params }, staff) => {
    const code = discountKey(params.code),
      at = clock()
    if (unstorable(code).length > 0) throw notFound('code')
    await kysely.transaction().execute(async trx => {
      const known = await trx
        .selectFrom('discount_codes')
        .select('expires_at')
        .where('code', '=', code)
        .forUpdate()
        .executeTakeFirst()
      if (!known) throw notFound('code')
      if (known.expires_at && known.expires_at <= at)
        throw new HttpProblem(409, 'This code has ended already.')
      await trx
        .updateTable('discount_codes')
        .set({ expires_at: at })
        .where('code', '=', code)
        .execute()
      await audit(trx, {
        at,
        by: staff.id,
        act: 'Ended a discount code',
        about: code,
        detail: code,
      })
    })
    return find(code)
  })

  serve('adminDiscountsApplied', async ({ query }) => {
    const { sort = 'at', descending = sort === 'at' } = query
    const { rows, count } = await pageOf<AppliedRow>(
      kysely,
      { ...query, descending },
      {
        columns: appliedColumns,
        from: appliedFrom,
        where: holds(query.search, 'd.code', 's.name', 's.shop'),
        by: appliedSorts[sort],
        tie: sql`u.created_at desc, u.subscription_id`,
      },
    )
    return { applied: rows.map(appliedOf), count }
  })

  const allPlans = async () =>
    (
      await kysely
        .selectFrom('plans')
        .selectAll()
        .orderBy('level')
        .orderBy('is_annual')
        .orderBy('monthly_visitors')
        .orderBy('plan_id')
        .execute()
    ).map(planOf)

  async function find(code: string): Promise<DiscountCode> {
    const {
      rows: [row],
    } = await sql<Row>`select ${columns(clock())} from ${from} where d.code = ${code}`.execute(
      kysely,
    )
    return codeOf(row!)
  }
}

const appliedColumns = sql`d.code, d.value_type as "valueType", d.value, u.status, u.created_at as at, u.current_period_ends_at as "currentPeriodEndsAt", ${storeColumns}, ${planColumns}`
const appliedFrom = sql`(select * from subscriptions where discount_code is not null and ${wasUsed}) u
  join discount_codes d on d.code = u.discount_code join stores s on s.store_id = u.store_id join plans p on p.plan_id = u.plan_id`

/** The codes that a store's subscriptions used, newest first. */
export async function appliedTo(
  kysely: Kysely<Schema>,
  storeId: string,
): Promise<AppliedDiscount[]> {
  const { rows } =
    await sql<AppliedRow>`select ${appliedColumns} from ${appliedFrom} where u.store_id = ${storeId} order by u.created_at desc, u.subscription_id`.execute(
      kysely,
    )
  return rows.map(appliedOf)
}

const appliedOf = (row: AppliedRow): AppliedDiscount => ({
  code: row.code,
  valueType: row.valueType,
  value: row.value,
  store: storeNameOf(row),
  plan: planNameOf(row)!,
  status: row.status,
  at: row.at.toISOString(),
  currentPeriodEndsAt: row.currentPeriodEndsAt?.toISOString() ?? null,
})

const codeOf = (row: Row): DiscountCode => ({
  code: row.code,
  valueType: row.valueType,
  value: row.value,
  planId: row.planId,
  plan: planNameOf(row),
  hasEnded: row.hasEnded,
  stores: row.stores,
  maxStores: row.maxStores,
  expiresAt: row.expiresAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
})
