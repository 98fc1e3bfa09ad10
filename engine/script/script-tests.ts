import type { Kysely, Selectable } from 'kysely'
import {
  type AudienceValues,
  audienceRef,
  builtInAudiences,
} from '../../domain/audiences/audience-match.ts'
import { pageTemplate } from '../../domain/events/page-facts.ts'
import type { ScriptAudience, ScriptConfig, ScriptTest } from '../../domain/script/script-config.ts'
import { goesElsewhere } from './compose.ts'
import { sentTests } from '../../domain/tests/redirect-chains.ts'
import { day } from '../../domain/time-units.ts'
import type { Schema, TestsTable } from '../db/schema.ts'
import { layersFor } from '../tests/exclusion.ts'
import { scriptPrices } from '../prices/price-rules.ts'
import { scriptChanges, scriptTest } from './script-body.ts'
import type { TestRow } from '../tests/test-statuses.ts'

/**
 * How long after a test a browser may still show its theme or template, in a session that stays
 * open or at a saved address. Milliseconds.
 */
const themeLasts = 30 * day

/**
 * What a store's script shows: its running tests, the changes of applied page element tests, which
 * every visitor sees (`always`), the applied redirects on which it sends everyone (first, `sent`),
 * and the themes and templates of other tests, which it takes off
 * screens again.
 */
export async function scriptTests(
  kysely: Kysely<Schema>,
  storeId: string,
  now: Date,
): Promise<Required<Pick<ScriptConfig, 'tests' | 'always'>>> {
  const rows = await kysely
    .selectFrom('tests')
    .selectAll()
    .where('store_id', '=', storeId)
    .where(eb =>
      eb.or([
        eb('status', '=', 'Active'),
        eb.and([
          eb.or([eb('kind', '=', 'PageElement'), eb('sends_by_script', '=', true)]),
          eb('applied_arm', '=', 'variant'),
          eb('winner_off_at', 'is', null),
        ]),
        eb('kind', 'in', ['Theme', 'Template', 'PageContent']),
      ]),
    )
    .orderBy('start_at')
    .orderBy('test_id')
    .execute()
  const layers = await layersFor(kysely, storeId)
  const audiences = await ownAudiences(kysely, storeId, rows)
  const running = rows.filter(row => row.status === 'Active' && !row.applied_arm)
  const tests = await Promise.all(
    running.map(async row =>
      scriptTest(row.test_id, row, {
        audiences: audiencesOf(row, audiences),
        inLayer: layers.get(row.test_id),
        ...(row.kind === 'Price' && {
          prices: await scriptPrices(kysely, { storeId, testId: row.test_id }),
        }),
      }),
    ),
  )
  // Every visitor sees the changes of an applied winner, in a test or not. Running tests come on
  // top of them.
  const always = rows
    .filter(row => row.kind === 'PageElement' && row.applied_arm && !row.winner_off_at)
    .flatMap(row => scriptChanges(row, true))
  const sent = sentTests(
    rows
      .filter(row => row.sends_by_script && row.applied_arm && !row.winner_off_at)
      .sort((a, b) => Number(b.applied_at) - Number(a.applied_at))
      .map(({ pages, control_url: control, redirect_url: variant }) => ({
        pages,
        control,
        variant,
      })),
  )
  const shown = new Set(tests.flatMap(({ view, theme }) => view ?? theme ?? []))
  const deleted = await kysely
    .selectFrom('script_leftovers')
    .select('script')
    .where('store_id', '=', storeId)
    .where('until', '>', now)
    .orderBy('until')
    .execute()
  const over = [
    ...rows.flatMap(row => leftoverOf(row, now)?.script ?? []),
    ...deleted.map(({ script }) => script),
  ].filter(({ view, theme }) => !shown.has((view ?? theme)![1]))
  const all = [...tests, ...over]
  return {
    tests: [...sent, ...all.filter(goesElsewhere), ...all.filter(test => !goesElsewhere(test))],
    always,
  }
}

/**
 * The theme or template that the script must take off screens again after a theme or template test
 * that does not run, and until when; null if there is none. A paused test counts too: it may have
 * shown its variant a moment ago.
 */
export function leftoverOf(
  { test_id: id, kind, status, weights, start_at, ended_at, applied_arm, variant_target }: TestRow,
  now: Date,
): { script: ScriptTest; until: Date } | null {
  const until = new Date((ended_at ?? now).getTime() + themeLasts),
    { themeId, templateType, suffix } = variant_target ?? {}
  if (status === 'Active' || !start_at || applied_arm === 'variant' || until <= now) return null
  if (kind === 'Theme' && themeId)
    return { script: { id, weights, pages: [], theme: ['', themeId] }, until }
  return templateType
    ? {
        script: { id, weights, pages: [], view: ['', pageTemplate(templateType, suffix ?? '')] },
        until,
      }
    : null
}

type Audiences = Map<string, AudienceValues>

async function ownAudiences(
  kysely: Kysely<Schema>,
  storeId: string,
  rows: readonly Pick<Selectable<TestsTable>, 'audience_ids'>[],
): Promise<Audiences> {
  const ids = [...new Set(rows.flatMap(row => row.audience_ids))].filter(
    id => !builtInAudiences.some(audience => audience.id === id),
  )
  const found =
    ids.length > 0
      ? await kysely
          .selectFrom('audiences')
          .select(['audience_id', 'conditions'])
          .where('store_id', '=', storeId)
          .where('audience_id', 'in', ids)
          .execute()
      : []
  return new Map(
    found.map(({ audience_id, conditions }) => [audience_id, conditions as AudienceValues]),
  )
}

/**
 * The audiences of a test for the script; undefined if everybody takes part. A visitor who is in
 * any of them takes part. No visitor is in an audience that was deleted.
 */
export function audiencesOf(
  { audience_ids: ids }: Pick<Selectable<TestsTable>, 'audience_ids'>,
  own: Audiences,
): ScriptAudience[] | undefined {
  const everyone = builtInAudiences[0]!.id
  if (ids.length === 0 || ids.includes(everyone)) return undefined
  return ids.map(id =>
    audienceRef({ id, values: own.get(id) ?? { 7: { operator: 'Equals', value: '-' } } }),
  )
}
