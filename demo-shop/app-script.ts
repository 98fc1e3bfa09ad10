import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Database } from './database.ts'

/** The script that the app has put on the shop's own asset host. */
export type AppScript = { etag: string; body: Uint8Array; gzip: Uint8Array; brotli: Uint8Array }
export type AppScripts = { current: () => AppScript | null; publish: (body: Buffer) => Promise<AppScript>; remove: () => void }

const zip = promisify(gzip),
  squeeze = promisify(brotliCompress)

export function openAppScripts(db: Database): AppScripts {
  const write = db.prepare(`insert into app_scripts (id, etag, body, gzip, brotli) values (1, ?, ?, ?, ?)
    on conflict (id) do update set etag = excluded.etag, body = excluded.body, gzip = excluded.gzip, brotli = excluded.brotli`)
  let current = (db.prepare('select etag, body, gzip, brotli from app_scripts').get() ?? null) as AppScript | null
  let order = 0,
    done = 0
  return {
    current: () => current,
    publish: async body => {
      const turn = ++order
      const [gzipped, brotli] = await Promise.all([zip(body, { level: 9 }), squeeze(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })])
      const script = { etag: createHash('sha256').update(body).digest('base64url').slice(0, 16), body, gzip: gzipped, brotli }
      // A later script may have been squeezed faster; it stays.
      if (turn > done) {
        done = turn
        write.run(script.etag, body, gzipped, brotli)
        current = script
      }
      return script
    },
    remove: () => {
      // One that is still being squeezed was asked for before.
      done = ++order
      db.exec('delete from app_scripts')
      current = null
    },
  }
}

/** The variant of the script for a request's accept-encoding. */
export function encoded(script: AppScript, accepted: string): { bytes: Uint8Array; encoding: 'br' | 'gzip' | null } {
  if (/\bbr\b/.test(accepted)) return { bytes: script.brotli, encoding: 'br' }
  if (/\bgzip\b/.test(accepted)) return { bytes: script.gzip, encoding: 'gzip' }
  return { bytes: script.body, encoding: null }
}
