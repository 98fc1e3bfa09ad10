import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { buildEngine } from '../engine/app.ts'
import { engineConfig } from '../engine/config.ts'
import { openDb } from '../engine/db/connection.ts'
import type { Db } from '../engine/db/connection.ts'
import { run } from '../engine/db/raw.ts'
import { runningTest } from './running-test.ts'

/**
 * One side of the collector's benchmark in its own process: the whole engine with a running test,
 * or the simplest server that gives the same guarantee. The arguments name the side and the shop.
 * DATA_DIR or DATABASE_URL is where it stores.
 */
export type Ready = { port: number; testId: string; syncs: string }

async function engineServer(shop: string): Promise<Ready> {
  const { app, db } = await buildEngine({ config: engineConfig(process.env) })
  const { testId } = await runningTest(db, shop, 7)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: portOf(app), testId, syncs: await syncsOf(db) }
}

type PlainEvent = { id: string; at: number; kind: string; path: string }
type PlainBeacon = { shop: string; visitor: string; events: PlainEvent[] }

/**
 * Only deduplicated micro-batches: no checks, no tests, no aggregates. Acknowledges after the
 * commit, like ours.
 */
async function plainServer(): Promise<Ready> {
  const db = await openDb({
    dataDir: process.env['DATA_DIR']!,
    databaseUrl: process.env['DATABASE_URL'],
  })
  await sql`create table plain_events (id text primary key, shop text not null, visitor text not null, at bigint not null, kind text not null, path text not null)`.execute(
    db.kysely,
  )
  let waiting: { beacon: PlainBeacon; done: () => void; failed: (error: unknown) => void }[] = []
  let isWriting = false
  const write = async () => {
    isWriting = true
    await setImmediate()
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await store(
        db,
        batch.map(w => w.beacon),
      ).then(
        () => batch.forEach(w => w.done()),
        error => batch.forEach(w => w.failed(error)),
      )
    }
    isWriting = false
  }
  const app = Fastify()
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) =>
    done(null, JSON.parse(String(body))),
  )
  app.post<{ Body: PlainBeacon }>('/collect', async (request, reply) => {
    await new Promise<void>((done, failed) => {
      waiting.push({ beacon: request.body, done, failed })
      if (!isWriting) void write()
    })
    return reply.code(204).send()
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: portOf(app), testId: randomUUID(), syncs: await syncsOf(db) }
}

async function store(db: Db, beacons: PlainBeacon[]): Promise<void> {
  const rows = beacons.flatMap(({ shop, visitor, events }) =>
    events.map(event => ({ ...event, shop, visitor })),
  )
  await db.kysely.transaction().execute(trx =>
    run(
      trx,
      `
    insert into plain_events (id, shop, visitor, at, kind, path) select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[]) on conflict do nothing`,
      [
        rows.map(r => r.id),
        rows.map(r => r.shop),
        rows.map(r => r.visitor),
        rows.map(r => r.at),
        rows.map(r => r.kind),
        rows.map(r => r.path),
      ],
    ),
  )
}

/** How this database's commits reach the disk. */
async function syncsOf(db: Db): Promise<string> {
  const { rows } = await sql<{ fsync: string; commit: string; method: string }>`
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit, current_setting('wal_sync_method') as method`.execute(
    db.kysely,
  )
  const { fsync, commit, method } = rows[0]!
  return `fsync ${fsync} (${method}), synchronous_commit ${commit}`
}

const portOf = (app: FastifyInstance) => (app.server.address() as AddressInfo).port

const [, , side, shop] = process.argv
process.send!(await (side === 'plain' ? plainServer() : engineServer(shop!)))
