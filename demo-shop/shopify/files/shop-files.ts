import { createHash, randomUUID } from 'node:crypto'
import type { Database } from '../../database.ts'

export type FileRow = {
  id: number
  name: string
  alt: string
  type: string
  hash: string
  createdAt: string
  updatedAt: string
}
/** Pictures among the shop's files. */
export type ShopFileStore = {
  all: () => FileRow[]
  body: (name: string) => { type: string; body: Uint8Array } | null
  /** A file of the same name is replaced, or stays beside the new one, which gets another name. */
  add: (
    file: { name: string; alt: string; type: string; body: Buffer },
    isReplacing: boolean,
  ) => FileRow
  remove: (id: number) => boolean
}

export function openShopFiles(db: Database, clock: () => Date): ShopFileStore {
  db.exec(`create table if not exists shopify_files (
    id integer primary key autoincrement, name text not null unique, alt text not null, type text not null, hash text not null,
    body blob not null, created_at text not null, updated_at text not null) strict`)
  const columns = 'id, name, alt, type, hash, created_at as "createdAt", updated_at as "updatedAt"'
  const all = db.prepare(`select ${columns} from shopify_files order by id`)
  const one = db.prepare(`select ${columns} from shopify_files where name = ?`)
  const body = db.prepare('select type, body from shopify_files where name = ?')
  const write = db.prepare(`
    insert into shopify_files (name, alt, type, hash, body, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?)
    on conflict (name) do update set alt = excluded.alt, type = excluded.type, hash = excluded.hash, body = excluded.body, updated_at = excluded.updated_at`)
  const remove = db.prepare('delete from shopify_files where id = ?')
  return {
    all: () => all.all() as FileRow[],
    body: name => (body.get(name) as { type: string; body: Uint8Array } | undefined) ?? null,
    add: ({ name, alt, type, body }, isReplacing) => {
      const free =
        isReplacing || !one.get(name)
          ? name
          : name.replace(/(\.\w+)?$/, ending => `_${randomUUID()}${ending}`)
      const at = clock().toISOString(),
        hash = createHash('sha256').update(body).digest('hex')
      write.run(free, alt, type, hash, body, at, at)
      return one.get(free) as FileRow
    },
    remove: id => remove.run(id).changes > 0,
  }
}
