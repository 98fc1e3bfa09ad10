import type { Kysely, Selectable } from 'kysely'
import type { PerArm } from '../domain/arm.ts'
import { type AudienceValues, audienceRef, builtInAudiences } from '../domain/audience-match.ts'
import type { ScriptAudience, ScriptTest } from '../domain/script-config.ts'
import { goesElsewhere } from '../domain/script-parts.ts'
import type { Schema, TestsTable } from './db/schema.ts'
import { layersFor } from './exclusion.ts'
import { scriptPrices } from './price-rules.ts'
import { scriptTest } from './script-body.ts'

/** A browser's session, and with it the theme it was put on, may outlive the test by so long. Milliseconds. */
const themeLasts = 30 * 86_400_000

/** What a store's script is told: its running tests, the winners among page elements that everyone is shown, and the themes that are to be taken off screens again. */
export async function scriptTests(kysely: Kysely<Schema>, storeId: string, now: Date): Promise<ScriptTest[]> {
  const rows = await kysely.selectFrom('tests').selectAll().where('store_id', '=', storeId)
    .where(eb => eb.or([eb('status', '=', 'Active'), eb.and([eb('kind', '=', 'PageElement'), eb('applied_arm', '=', 'variant')]), eb('kind', '=', 'Theme')])).orderBy('start_at').orderBy('test_id').execute()
  const layers = await layersFor(kysely, storeId)
  const audiences = await ownAudiences(kysely, storeId, rows)
  const running = rows.filter(row => row.status === 'Active' && !row.applied_arm)
  const tests = await Promise.all(running.map(async row => scriptTest(row.test_id, row, {
    audiences: audiencesOf(row, audiences), layer: layers.get(row.test_id), ...(row.kind === 'Price' && { prices: await scriptPrices(kysely, { storeId, testId: row.test_id }) }),
  })))
  // A winner's changes are everyone's, under the id of its hypothesis: what is tested now is tested on top of them.
  const applied = rows.filter(row => row.kind === 'PageElement' && row.applied_arm).map(row => scriptTest(row.variant_hypothesis_id, { ...row, weights: [0, 1] as PerArm<number> }))
  const shown = new Set(tests.flatMap(({ theme }) => theme ?? []))
  const over = rows.filter(row => row.kind === 'Theme' && row.status !== 'Active' && row.start_at && row.applied_arm !== 'variant' && (!row.ended_at || now.getTime() - row.ended_at.getTime() < themeLasts))
    .flatMap(row => (row.variant_target?.themeId && !shown.has(row.variant_target.themeId) ? [{ id: row.test_id, weights: row.weights, pages: [], theme: ['', row.variant_target.themeId] as [string, string] }] : []))
  const all = [...applied, ...tests, ...over]
  return [...all.filter(goesElsewhere), ...all.filter(test => !goesElsewhere(test))]
}

type Audiences = Map<string, AudienceValues>

async function ownAudiences(kysely: Kysely<Schema>, storeId: string, rows: readonly Pick<Selectable<TestsTable>, 'audience_ids'>[]): Promise<Audiences> {
  const ids = [...new Set(rows.flatMap(row => row.audience_ids))].filter(id => !builtInAudiences.some(audience => audience.id === id))
  const found = ids.length > 0 ? await kysely.selectFrom('audiences').select(['audience_id', 'conditions']).where('store_id', '=', storeId).where('audience_id', 'in', ids).execute() : []
  return new Map(found.map(({ audience_id, conditions }) => [audience_id, conditions as AudienceValues]))
}

/** None where everybody takes part: any of several audiences is enough. One that is gone is nobody's. */
export function audiencesOf({ audience_ids: ids }: Pick<Selectable<TestsTable>, 'audience_ids'>, own: Audiences): ScriptAudience[] | undefined {
  const everyone = builtInAudiences[0]!.id
  if (ids.length === 0 || ids.includes(everyone)) return undefined
  return ids.map(id => audienceRef({ id, values: own.get(id) ?? { 7: { operator: 'Equals', value: '-' } } }))
}
