import type { Kysely, Selectable, Transaction } from 'kysely'
import { type Excluding, layersOf } from '../domain/exclusion.ts'
import { pageTemplate } from '../domain/page-facts.ts'
import type { DraftsTable, Schema } from './db/schema.ts'

type Reader = Kysely<Schema> | Transaction<Schema>
export type ExcludingRow = Pick<Selectable<DraftsTable>, 'kind' | 'control_target' | 'variant_target' | 'resource_ids' | 'api_mode'> & { pages: readonly string[] }

/** What of a test, or of a draft as it would be launched, decides which others it could disturb. */
export function excludingOf(id: string, row: ExcludingRow): Excluding {
  const templates = [row.control_target, row.variant_target].flatMap(target => (target?.templateType ? [pageTemplate(target.templateType, target.suffix ?? '')] : []))
  return { id, kind: row.kind, pages: row.pages, templates, only: row.resource_ids, isManual: row.api_mode === 'manual' }
}

const columns = ['kind', 'pages', 'control_target', 'variant_target', 'resource_ids', 'api_mode'] as const
export type RunningTest = Excluding & { title: string }

/** A store's running tests, in the order in which they started. */
export async function runningTests(reader: Reader, storeId: string): Promise<RunningTest[]> {
  const rows = await reader.selectFrom('tests').select([...columns, 'test_id', 'title']).where('store_id', '=', storeId).where('status', '=', 'Active')
    .where('applied_arm', 'is', null).orderBy('start_at').orderBy('test_id').execute()
  return rows.map(row => ({ ...excludingOf(row.test_id, row), title: row.title }))
}

/** For those of a store's running tests that share their visitors with another: which layer they are in. */
export async function layersFor(reader: Reader, storeId: string): Promise<Map<string, number>> {
  return new Map(layersOf(await runningTests(reader, storeId)).flatMap((layer, index) => layer.map(({ id }) => [id, index] as const)))
}

/** The running tests that share their visitors with this draft once it runs, with these pages. */
export async function sharingWith(reader: Reader, draft: Omit<ExcludingRow, 'pages'> & { store_id: string; draft_id: string }, pages: readonly string[]): Promise<RunningTest[]> {
  const own = excludingOf(draft.draft_id, { ...draft, pages })
  const layers = layersOf<Excluding>([own, ...await runningTests(reader, draft.store_id)])
  return (layers.find(layer => layer.includes(own)) ?? []).filter(test => test !== own) as RunningTest[]
}
