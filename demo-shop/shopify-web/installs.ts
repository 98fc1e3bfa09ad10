import type { Database } from '../database.ts'

/** What the app connects to the shop by calls, besides its fields. */
export type InstallKinds = {
  /** The web pixel, of which a shop has one. */
  pixel: { settings: Record<string, unknown> }
  transform: { functionHandle: string; blockOnFailure: boolean }
  /** An automatic discount that a function decides. Instants are ISO text. */
  discount: {
    functionHandle: string
    title: string
    startsAt: string
    endsAt: string | null
    /** The rest of what the call gave, to answer it again. */
    given: Record<string, unknown>
  }
}
export type Install<K extends keyof InstallKinds> = InstallKinds[K] & {
  id: number
  createdAt: string
}
export type Installs = {
  /** The oldest first. */
  all: <K extends keyof InstallKinds>(kind: K) => Install<K>[]
  add: <K extends keyof InstallKinds>(kind: K, data: InstallKinds[K]) => Install<K>
  /** Returns null when there is none with this number. */
  update: <K extends keyof InstallKinds>(
    kind: K,
    id: number,
    data: InstallKinds[K],
  ) => Install<K> | null
  /** Returns whether it was there. */
  remove: (kind: keyof InstallKinds, id: number) => boolean
  /** What an uninstall of the app ends. */
  removeAll: () => void
}

export function openInstalls(db: Database, clock: () => Date): Installs {
  db.exec(
    'create table if not exists shopify_installs (id integer primary key autoincrement, kind text not null, json text not null, created_at text not null) strict',
  )
  const read = db.prepare(
    'select id, json, created_at from shopify_installs where kind = ? order by id',
  )
  const insert = db.prepare(
    'insert into shopify_installs (kind, json, created_at) values (?, ?, ?)',
  )
  const write = db.prepare('update shopify_installs set json = ? where kind = ? and id = ?')
  const remove = db.prepare('delete from shopify_installs where kind = ? and id = ?')
  const all = <K extends keyof InstallKinds>(kind: K): Install<K>[] =>
    (read.all(kind) as { id: number; json: string; created_at: string }[]).map(row => ({
      ...(JSON.parse(row.json) as InstallKinds[K]),
      id: row.id,
      createdAt: row.created_at,
    }))
  const byId = <K extends keyof InstallKinds>(kind: K, id: number) =>
    all(kind).find(each => each.id === id) ?? null
  return {
    all,
    add: (kind, data) => {
      const { lastInsertRowid } = insert.run(kind, JSON.stringify(data), clock().toISOString())
      return byId(kind, Number(lastInsertRowid))!
    },
    update: (kind, id, data) => {
      write.run(JSON.stringify(data), kind, id)
      return byId(kind, id)
    },
    remove: (kind, id) => remove.run(kind, id).changes > 0,
    removeAll: () => db.exec('delete from shopify_installs'),
  }
}
