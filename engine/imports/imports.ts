import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { importProblemText, type ImportRow } from '../../domain/imports/import-row.ts'
import type { ImportOptions, ImportOutcome } from '../../domain/imports/import.ts'
import { weightProblems } from '../../domain/drafts/draft.ts'
import { eventAge } from '../../domain/events/event.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { EngineContext } from '../context.ts'
import { type Db, inSession } from '../db/connection.ts'
import type { Schema } from '../db/schema.ts'
import { type CollectingStore, loadStore } from '../events/event-stores.ts'
import { refused } from './imports-problems.ts'
import { newStage, stage, stagedVisitors, unstage } from './imports-stage.ts'
import { changesOf, closeImport, openImport } from './imports-test.ts'
import {
  type ImportedVisitor,
  type Met,
  visitorIds,
  visitorOf,
  wantedArm,
} from './imports-visitors.ts'
import { knownVisitors, writeVisitors } from './imports-write.ts'
import { rollUpTest } from '../reports/rollup-test.ts'
import { knownId, notFound, type StaffServe } from '../http/routes.ts'
import { audit } from '../staff/people/staff-audit.ts'
import type { Trx } from '../db/types.ts'

/**
 * How many rows are staged at a time, and how many are written at a time. On PGlite everything else
 * waits meanwhile.
 */
const batches = {
  postgres: { staged: 5_000, written: 4_000 },
  pglite: { staged: 500, written: 500 },
}

export type ImportTarget = {
  shop: string
  options: ImportOptions
  now: Date
  onProgress?: (what: 'read' | 'written', rows: number) => void
  alongside?: (trx: Trx, outcome: ImportOutcome) => Promise<void>
}

/**
 * Imports a past experiment as an ended test, through the collector's own rules and aggregates. We
 * read the file as a stream and check all of it before we store anything. If the import is
 * interrupted after that, the same import continues when it runs again. Throws HttpProblem: 404
 * without the shop, 400 for bad rows and options, 409 for a title that was imported with another
 * split, goal or kind.
 */
export async function importTest(
  db: Db,
  source: Readable,
  { shop, options: given, now, onProgress, alongside }: ImportTarget,
): Promise<ImportOutcome> {
  const options = {
    ...given,
    title: given.title.trim(),
    kind: given.kind ?? ('PageElement' as const),
  }
  const problems = weightProblems(options.weights)
  if (problems.length > 0) throw new HttpProblem(400, problems[0]!.message, problems)
  const batch = batches[db.dialect]
  const outcome = await inOneSession(db, async one => {
    const store = await loadStore({ kysely: one }, shop, performance.now(), now)
    if (!store) throw new HttpProblem(404, `There is no shop ${shop} here.`)
    const staged = newStage(one, batch.staged)
    try {
      const file = await stage(
        staged,
        source,
        { currency: store.currency, timeZone: store.timeZone, now: now.getTime() + eventAge.ahead },
        rows => onProgress?.('read', rows),
      )
      if (file.problemCount > 0 && !options.skipBad) throw refused(file.problems, file.problemCount)
      if (file.rows === 0)
        throw refused(
          [
            ...file.problems,
            { line: 1, column: null, message: 'No row below the header is valid.' },
          ].slice(0, 20),
          file.problemCount + 1,
        )
      const test = await openImport(one, store.id, options, file, now)
      const outcome = {
        testId: test.testId,
        rows: file.rows,
        skipped: file.problemCount,
        problems: file.problems.map(importProblemText),
        visitors: file.visitors,
        hasChanged: !test.isSame,
      }
      if (test.isSame) return { store, ...outcome }
      const before = await changesOf(one, store.id, test.testId)
      const counting: CollectingStore = {
        ...store,
        tests: new Map([
          [
            test.testId,
            {
              id: test.testId,
              weights: test.weights,
              startAt: test.from,
              endedAt: test.to,
              spans: [{ from: test.from, to: test.to }],
              isForAll: true,
            },
          ],
        ]),
      }

      let waiting: ImportRow[][] = [],
        rows = 0,
        written = 0
      const flush = async () => {
        await writeVisitors(one, counting, test.testId, await visitorsOf(waiting), now)
        written += rows
        onProgress?.('written', written)
        waiting = []
        rows = 0
        await nextTurn()
      }
      const visitorsOf = async (groups: ImportRow[][]): Promise<ImportedVisitor[]> => {
        const own = { id: test.testId, weights: test.weights }
        const named = groups.map(group => ({ group, ids: visitorIds(own, group[0]!.visitor) }))
        const known = test.isNew
          ? new Map<string, Met>()
          : await knownVisitors(
              one,
              store,
              own,
              named.flatMap(({ ids }) => ids),
              named.flatMap(({ group, ids }) => ids.map(() => group[0]!.visitor)),
            )
        return named.map(({ group, ids }) => {
          const wanted = wantedArm(group)
          // A visitor keeps the arm of the first import.
          const id = known.has(ids[1 - wanted]!) ? ids[1 - wanted]! : ids[wanted]
          return visitorOf(own, id, group, store.shop, known.get(id))
        })
      }
      for await (const group of stagedVisitors(staged)) {
        waiting.push(group)
        rows += group.length
        if (rows >= batch.written) await flush()
      }
      if (rows > 0) await flush()
      const done = {
        ...outcome,
        hasChanged: !test.isFinished || (await changesOf(one, store.id, test.testId)) !== before,
      }
      await one.transaction().execute(async trx => {
        if (done.hasChanged) await closeImport(trx, store.id, test, options, file, now)
        await alongside?.(trx, done)
      })
      return { store, ...done }
    } finally {
      await unstage(staged)
    }
  })
  const { store, ...answer } = outcome
  if (answer.hasChanged) await rollUpTest(db, store.id, answer.testId, now)
  return answer
}

/** The last import of each PGlite. */
const lastImports = new WeakMap<Db, Promise<unknown>>()

/**
 * Runs this work in one session of the database, because only that session sees the staged rows. On
 * Postgres the session is one connection. PGlite has one session for all: we hold it for one
 * statement at a time, so that other work runs in between, and imports run one after the other.
 */
async function inOneSession<T>(db: Db, work: (one: Kysely<Schema>) => Promise<T>): Promise<T> {
  if (!db.pglite) return inSession(db, work)
  const before = lastImports.get(db)
  const own = (async () => {
    await before?.catch(() => {})
    return work(db.kysely)
  })()
  lastImports.set(db, own)
  return own
}

/** The staff API for imports, for files that fit into one request. */
export function imports(serve: StaffServe, { db, clock }: EngineContext): void {
  serve('importTest', async ({ body: { storeId, fileName, csv, ...options } }, staff) => {
    const row = await db.kysely
      .selectFrom('stores')
      .select('shop')
      .where('store_id', '=', knownId(storeId, 'store'))
      .where('status', '=', 'installed')
      .executeTakeFirst()
    if (!row) throw notFound('store')
    const now = clock()
    return importTest(db, Readable.from([csv]), {
      shop: row.shop,
      options,
      now,
      alongside: (trx, { rows, skipped }) =>
        audit(trx, {
          at: now,
          by: staff.id,
          act: 'Imported a test',
          about: storeId,
          detail: `${options.title}: ${fileName}, ${rows} ${rows === 1 ? 'row' : 'rows'}${skipped > 0 ? `, ${skipped} left out` : ''}`,
        }),
    })
  })
}
