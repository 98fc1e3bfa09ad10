import { sql, type SqlBool } from 'kysely'
import type { Output } from '../../domain/api/contract.ts'
import { zeroId } from '../../domain/drafts/dom-selector.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { statusLabels, type TestStatus } from '../../domain/tests/test-status.ts'
import type { EngineContext } from '../context.ts'
import { isId, type Serve } from '../http/routes.ts'
import { resumeHeld } from './test-starts.ts'
import { commitTime, statusSince } from './test-statuses.ts'

/** The API for tests that the system put on hold or suspended, and to resume them. */
export function testHolds(serve: Serve, context: EngineContext): void {
  const {
    db: { kysely },
    clock,
  } = context

  serve('newSuspended', ({ query }, { storeId }) => stopped(storeId, 'Suspended', query.timestamp))
  serve('newOnHold', ({ query }, { storeId }) => stopped(storeId, 'OnHold', query.timestamp))

  serve('chargeWarnings', async (_, { storeId }) => {
    const { rows: tests } = await sql<Output<'chargeWarnings'>['tests'][number]>`
      select t.test_id as id, t.title, s.summary->'charges'->>'latest' as message from tests t join test_summaries s on s.store_id = t.store_id and s.test_id = t.test_id
      where t.store_id = ${storeId} and t.kind = 'Price' and t.status = 'Active' and s.summary->'charges'->>'latest' is not null order by t.test_id`.execute(
      kysely,
    )
    return { tests }
  })

  serve('resumeOnHold', async ({ body: { testIds } }, { storeId }) => {
    let wanted = kysely.selectFrom('tests').selectAll().where('store_id', '=', storeId)
    wanted = testIds
      ? wanted.where('test_id', 'in', [zeroId, ...testIds.filter(isId)])
      : wanted.where('status', '=', 'OnHold')
    const tests = new Map(
      (await wanted.orderBy('created_at').execute()).map(test => [test.test_id, test]),
    )
    const answer: Output<'resumeOnHold'> = { resumed: [], refused: [] }
    // One after the other: if two price tests have the same product, the first runs and prevents
    // the second.
    for (const id of testIds ?? tests.keys()) {
      const test = tests.get(id)
      const outcome = test?.status === 'OnHold' ? await resumeHeld(context, test) : null
      if (outcome === 'resumed') answer.resumed.push(id)
      else
        answer.refused.push({
          id,
          message: outcome
            ? `${outcome.message} ${outcome.remedy}`
            : test
              ? `This test is not on hold: it is ${statusLabels[test.status].toLowerCase()}.`
              : 'There is no such test.',
        })
    }
    return answer
  })

  /**
   * Tests that came to this status after `since`, in the order in which they came to it.
   * `timestamp` is the `since` of the next request: the latest of these instants. The current time
   * would not do, because it would miss a change that is being committed now.
   */
  async function stopped(
    storeId: string,
    status: TestStatus,
    since: string | undefined,
  ): Promise<Output<'newOnHold'>> {
    const after = since === undefined ? null : new Date(since)
    if (after && Number.isNaN(after.getTime()))
      throw new HttpProblem(400, 'There is no such day.', [
        { field: 'timestamp', message: 'There is no such day.' },
      ])
    const rows = await kysely
      .selectFrom('tests as t')
      .select([
        't.test_id as id',
        't.title',
        't.status',
        't.hold_cause as holdCause',
        statusSince.as('since'),
      ])
      .where('t.store_id', '=', storeId)
      .where('t.status', '=', status)
      .$if(after !== null, q => q.where(sql<SqlBool>`${statusSince} > ${after}`))
      .orderBy('since')
      .orderBy('t.test_id')
      .execute()
    const timestamp = rows.at(-1)?.since ?? after ?? new Date(clock().getTime() - commitTime)
    return {
      tests: rows.map(row => ({ ...row, since: row.since.toISOString() })),
      timestamp: timestamp.toISOString(),
    }
  }
}
