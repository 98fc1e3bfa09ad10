import { randomUUID } from 'node:crypto'
import { type Selectable, sql, type SqlBool } from 'kysely'
import type { Audience, AudienceInput } from '../../domain/audiences/audience.ts'
import { audienceFields } from '../../domain/audiences/audience-field.ts'
import { builtInAudiences } from '../../domain/audiences/audience-match.ts'
import { type FieldProblem, HttpProblem } from '../../domain/problem.ts'
import { quotas, quotaWords } from '../../domain/quota.ts'
import { statusLabels } from '../../domain/tests/test-status.ts'
import { access } from '../plans/access.ts'
import type { EngineContext } from '../context.ts'
import type { AudiencesTable } from '../db/products-schema.ts'
import { isId, knownId, notFound, type Serve } from '../http/routes.ts'
import type { Reader, Trx } from '../db/types.ts'

export function audiences(serve: Serve, context: EngineContext): void {
  const {
    db: { kysely },
    clock,
  } = context

  serve('audiences', async (_, { storeId }) => {
    const rows = await kysely
      .selectFrom('audiences')
      .selectAll()
      .where('store_id', '=', storeId)
      .orderBy('name_key')
      .execute()
    return [...rows.map(audience), ...builtInAudiences.map(builtIn)]
  })

  serve('createAudience', async ({ body }, { storeId }) => {
    await allowed(storeId)
    const { name, conditions } = cleaned(body)
    const now = clock()
    return kysely.transaction().execute(async trx => {
      // Locks the store, so that two requests cannot create the same name twice or exceed the
      // quota.
      await trx
        .selectFrom('stores')
        .select('store_id')
        .where('store_id', '=', storeId)
        .forUpdate()
        .execute()
      await requireFreeName(trx, storeId, name)
      const { count } = await trx
        .selectFrom('audiences')
        .select(sql<number>`count(*)::int`.as('count'))
        .where('store_id', '=', storeId)
        .executeTakeFirstOrThrow()
      if (count >= quotas.audiences) throw new HttpProblem(409, quotaWords.audiences)
      const row = {
        store_id: storeId,
        audience_id: randomUUID(),
        name,
        name_key: keyOf(name),
        conditions: JSON.stringify(conditions),
        created_at: now,
        updated_at: now,
      }
      return audience(
        await trx.insertInto('audiences').values(row).returningAll().executeTakeFirstOrThrow(),
      )
    })
  })

  serve('updateAudience', async ({ params: { id }, body }, { storeId }) => {
    await allowed(storeId)
    refuseBuiltIn(id)
    const { name, conditions } = cleaned(body)
    return kysely.transaction().execute(async trx => {
      await trx
        .selectFrom('stores')
        .select('store_id')
        .where('store_id', '=', storeId)
        .forUpdate()
        .execute()
      const row = await requireRow(trx, storeId, id)
      await requireFreeName(trx, storeId, name, id)
      // A test that uses this audience has chosen its visitors by the old conditions.
      if (!isSame(row.conditions, conditions))
        await requireUnused(
          trx,
          storeId,
          id,
          'You can change its conditions when that test has ended.',
        )
      return audience(
        await trx
          .updateTable('audiences')
          .set({
            name,
            name_key: keyOf(name),
            conditions: JSON.stringify(conditions),
            updated_at: clock(),
          })
          .where('store_id', '=', storeId)
          .where('audience_id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow(),
      )
    })
  })

  serve('deleteAudience', async ({ params: { id } }, { storeId }) => {
    await allowed(storeId)
    refuseBuiltIn(id)
    await kysely.transaction().execute(async trx => {
      // A launch locks the store too, and checks its audiences under the lock.
      await trx
        .selectFrom('stores')
        .select('store_id')
        .where('store_id', '=', storeId)
        .forUpdate()
        .execute()
      await requireRow(trx, storeId, id)
      await requireUnused(trx, storeId, id, 'End it first.')
      await trx
        .deleteFrom('audiences')
        .where('store_id', '=', storeId)
        .where('audience_id', '=', id)
        .execute()
    })
    return { ok: true as const }
  })

  serve('audienceActiveTest', async ({ params: { id } }, { storeId }) => {
    if (!isBuiltIn(id)) await requireRow(kysely, storeId, id)
    const test = await kysely
      .selectFrom('tests')
      .select(['test_id as id', 'title', 'status'])
      .where(usesAudience(storeId, id))
      .where('status', '=', 'Active')
      .orderBy('start_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    return { test: test ?? null }
  })

  // Only changes need the capability: after a move to a smaller plan, a store can still read what
  // its tests use.
  async function allowed(storeId: string): Promise<void> {
    ;(await access(context, storeId)).require('CustomAudiences')
  }
}

/** The problems with a draft's audiences: those that no longer exist. */
export async function audienceProblems(
  { db: { kysely } }: { db: { kysely: Reader } },
  storeId: string,
  audienceIds: readonly string[],
): Promise<FieldProblem[]> {
  const own = audienceIds.filter(id => !isBuiltIn(id) && isId(id))
  const rows =
    own.length > 0
      ? await kysely
          .selectFrom('audiences')
          .select('audience_id')
          .where('store_id', '=', storeId)
          .where('audience_id', 'in', own)
          .execute()
      : []
  const known = new Set(rows.map(row => row.audience_id))
  return audienceIds.flatMap((id, i) =>
    isBuiltIn(id) || known.has(id)
      ? []
      : [{ field: `audienceIds.${i}`, message: 'This audience is no longer there.' }],
  )
}

const isBuiltIn = (id: string): boolean => builtInAudiences.some(each => each.id === id)
function refuseBuiltIn(id: string): void {
  if (isBuiltIn(id)) throw new HttpProblem(409, 'This audience is built in and cannot be changed.')
}

async function requireRow(
  reader: Reader,
  storeId: string,
  id: string,
): Promise<Selectable<AudiencesTable>> {
  const row = await reader
    .selectFrom('audiences')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('audience_id', '=', knownId(id, 'audience'))
    .executeTakeFirst()
  if (!row) throw notFound('audience')
  return row
}

async function requireFreeName(
  trx: Trx,
  storeId: string,
  name: string,
  except?: string,
): Promise<void> {
  const same =
    builtInAudiences.some(each => keyOf(each.name) === keyOf(name)) ||
    (await trx
      .selectFrom('audiences')
      .select('name')
      .where('store_id', '=', storeId)
      .where('name_key', '=', keyOf(name))
      .$if(except !== undefined, q => q.where('audience_id', '!=', except!))
      .executeTakeFirst())
  if (same)
    throw new HttpProblem(409, 'There is an audience of this name already.', [
      { field: 'name', message: 'There is an audience of this name already.' },
    ])
}

async function requireUnused(trx: Trx, storeId: string, id: string, advice: string): Promise<void> {
  const test = await trx
    .selectFrom('tests')
    .select(['title', 'status'])
    .where(usesAudience(storeId, id))
    .where('status', '!=', 'Ended')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  if (test)
    throw new HttpProblem(
      409,
      `The test “${test.title}” (${statusLabels[test.status].toLowerCase()}) uses this audience. ${advice}`,
    )
}

const usesAudience = (storeId: string, id: string) =>
  sql<SqlBool>`store_id = ${storeId} and audience_ids @> ${JSON.stringify([id])}::jsonb`

const keyOf = (name: string): string => name.normalize('NFC').toLowerCase()
type Conditions = AudienceInput['values']
function cleaned({ name: written, values }: AudienceInput): {
  name: string
  conditions: Conditions
} {
  const name = written.trim()
  const empty = Object.entries(values)
    .filter(([, condition]) => !condition!.value.trim())
    .map(([field]) => ({
      field: `values.${field}.value`,
      message: 'Enter the value to compare with.',
    }))
  const problems = [
    ...(name ? [] : [{ field: 'name', message: 'Give the audience a name.' }]),
    ...empty,
  ]
  if (problems.length > 0) throw new HttpProblem(400, problems[0]!.message, problems)
  return {
    name,
    conditions: Object.fromEntries(
      Object.entries(values).map(([field, condition]) => [
        field,
        { ...condition!, value: condition!.value.trim() },
      ]),
    ),
  }
}

function isSame(a: Conditions, b: Conditions): boolean {
  const said = (values: Conditions) =>
    JSON.stringify(
      audienceFields.map(({ number }) => [
        values[`${number}`]?.operator,
        values[`${number}`]?.value,
      ]),
    )
  return said(a) === said(b)
}

function audience(row: Selectable<AudiencesTable>): Audience {
  return {
    id: row.audience_id,
    name: row.name,
    values: row.conditions as Audience['values'],
    isBuiltIn: false,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

const builtIn = ({ id, name }: { id: string; name: string }): Audience => ({
  id,
  name,
  values: {},
  isBuiltIn: true,
  createdAt: null,
  updatedAt: null,
})
