import type { Selectable } from 'kysely'
import { type Excluding, layersOf, rivalsOf } from '../../domain/tests/exclusion.ts'
import { pageTemplate } from '../../domain/events/page-facts.ts'
import type { Redirect } from '../../domain/tests/redirect-url.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import type { DraftsTable } from '../db/schema.ts'
import type { Reader } from '../db/types.ts'
import { sentRedirects } from '../script/script-winners.ts'

export type ExcludingRow = Pick<
  Selectable<DraftsTable>,
  'kind' | 'control_target' | 'variant_target' | 'resource_ids' | 'api_mode' | 'redirect_url'
> & { pages: readonly string[] }

/**
 * The facts of a test, or of a draft as it would be launched, that decide which other tests it
 * could disturb.
 */
export function excludingOf(id: string, row: ExcludingRow): Excluding {
  const templates = [row.control_target, row.variant_target].flatMap(target =>
    target?.templateType ? [pageTemplate(target.templateType, target.suffix ?? '')] : [],
  )
  // The variant's visitors are on the page to which they were redirected.
  const pages =
    row.kind === 'UrlRedirect' && row.redirect_url
      ? [...row.pages, row.redirect_url.replace(/#.*/, '')]
      : row.pages
  return {
    id,
    kind: row.kind,
    pages,
    templates,
    only: row.resource_ids,
    isManual: row.api_mode === 'manual',
  }
}

const columns = [
  'kind',
  'pages',
  'control_target',
  'variant_target',
  'resource_ids',
  'api_mode',
  'redirect_url',
] as const
export type RunningTest = Excluding & { title: string }

/** A store's running tests, in the order in which they started. */
export async function runningTests(reader: Reader, storeId: string): Promise<RunningTest[]> {
  const rows = await reader
    .selectFrom('tests')
    .select([...columns, 'test_id', 'title'])
    .where('store_id', '=', storeId)
    .where('status', '=', 'Active')
    .where('applied_arm', 'is', null)
    .orderBy('start_at')
    .orderBy('test_id')
    .execute()
  return rows.map(row => ({ ...excludingOf(row.test_id, row), title: row.title }))
}

export type InLayer = Required<Pick<ScriptTest, 'layer' | 'rivals'>>
/**
 * For each running test that shares its visitors with another one: its layer, and the tests of that
 * layer that it disturbs itself (`rivals`).
 */
export async function layersFor(reader: Reader, storeId: string): Promise<Map<string, InLayer>> {
  return new Map(
    layersOf(await runningTests(reader, storeId)).flatMap((tests, layer) =>
      tests.map(test => [test.id, { layer, rivals: rivalsOf(test, tests) }] as const),
    ),
  )
}

/** The running tests that would share their visitors with this draft, if it ran on these pages. */
export async function sharingWith(
  reader: Reader,
  draft: Omit<ExcludingRow, 'pages'> & { store_id: string; draft_id: string },
  pages: readonly string[],
): Promise<RunningTest[]> {
  const own = excludingOf(draft.draft_id, { ...draft, pages })
  const layers = layersOf<Excluding>([own, ...(await runningTests(reader, draft.store_id))])
  return (layers.find(layer => layer.includes(own)) ?? []).filter(
    test => test !== own,
  ) as RunningTest[]
}

/**
 * The store's redirect tests that run or may run again, and the applied ones on which our script
 * sends visitors (`isApplied`), with the two addresses of each.
 */
export async function redirectsOf(
  reader: Reader,
  storeId: string,
): Promise<(Redirect & { id: string; title: string; isApplied: boolean })[]> {
  const unfinished = await reader
    .selectFrom('tests')
    .select(['test_id as id', 'title', 'control_url as control', 'redirect_url as variant'])
    .where('store_id', '=', storeId)
    .where('kind', '=', 'UrlRedirect')
    .where('status', '!=', 'Ended')
    .orderBy('created_at')
    .orderBy('test_id')
    .execute()
  return [
    ...unfinished.map(one => ({ ...one, isApplied: false })),
    ...(await sentRedirects(reader, storeId)).map(({ isOn: _, ...one }) => ({
      ...one,
      isApplied: true,
    })),
  ]
}
