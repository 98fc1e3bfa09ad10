import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Database } from '../database.ts'

/** The script that the app has put on the shop's own asset host. */
export type AppScript = {
  /** Whether every page contains the script itself instead of loading a file. */ isInline: boolean
  etag: string
  body: Uint8Array
  gzip: Uint8Array
  brotli: Uint8Array
}
export type AppScripts = {
  current: () => AppScript | null
  publish: (body: Buffer, isInline?: boolean) => Promise<AppScript>
  /** The second file of the script, which pages load later; null when there is none. */
  part: () => Uint8Array | null
  publishPart: (body: Buffer) => void
  remove: () => void
}

/** Where the second file of the script is. */
export const scriptPartPath = '/assets/twinshelf-part.js'

const zip = promisify(gzip),
  squeeze = promisify(brotliCompress)

export function openAppScripts(db: Database): AppScripts {
  if (!db.prepare("select 1 from pragma_table_info('app_scripts') where name = 'is_inline'").get())
    db.exec('alter table app_scripts add column is_inline integer not null default 0')
  db.exec(
    'create table if not exists app_script_parts (id integer primary key check (id = 1), body blob not null) strict',
  )
  const writePart = db.prepare(
    'insert into app_script_parts (id, body) values (1, ?) on conflict (id) do update set body = excluded.body',
  )
  const readPart = db.prepare('select body from app_script_parts')
  const write =
    db.prepare(`insert into app_scripts (id, etag, body, gzip, brotli, is_inline) values (1, ?, ?, ?, ?, ?)
    on conflict (id) do update set etag = excluded.etag, body = excluded.body, gzip = excluded.gzip, brotli = excluded.brotli, is_inline = excluded.is_inline`)
  const row = db.prepare('select etag, body, gzip, brotli, is_inline from app_scripts').get() as
    | (Omit<AppScript, 'isInline'> & { is_inline: number })
    | undefined
  let current: AppScript | null = row
    ? {
        etag: row.etag,
        body: row.body,
        gzip: row.gzip,
        brotli: row.brotli,
        isInline: row.is_inline === 1,
      }
    : null
  let order = 0,
    done = 0
  return {
    current: () => current,
    publish: async (body, isInline = false) => {
      const turn = ++order
      const [gzipped, brotli] = await Promise.all([
        zip(body, { level: 9 }),
        squeeze(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
      ])
      const script = {
        etag: createHash('sha256').update(body).digest('base64url').slice(0, 16),
        body,
        gzip: gzipped,
        brotli,
        isInline,
      }
      // A script that was published later may have been compressed faster; it stays.
      if (turn > done) {
        done = turn
        write.run(script.etag, body, gzipped, brotli, isInline ? 1 : 0)
        current = script
      }
      return script
    },
    part: () => (readPart.get() as { body: Uint8Array } | undefined)?.body ?? null,
    publishPart: body => void writePart.run(body),
    remove: () => {
      // A script that is still being compressed was published before this.
      done = ++order
      db.exec('delete from app_scripts; delete from app_script_parts')
      current = null
    },
  }
}

/** The script in the best encoding that a request's accept-encoding allows. */
export function encoded(
  script: AppScript,
  accepted: string,
): { bytes: Uint8Array; encoding: 'br' | 'gzip' | null } {
  if (/\bbr\b/.test(accepted)) return { bytes: script.brotli, encoding: 'br' }
  if (/\bgzip\b/.test(accepted)) return { bytes: script.gzip, encoding: 'gzip' }
  return { bytes: script.body, encoding: null }
}
