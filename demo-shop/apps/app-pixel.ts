import type { FastifyPluginAsync } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import type { Database } from '../database.ts'
import { fieldsOf } from '../forms.ts'
import type { Bearer } from './bearer.ts'

/** The pixel that the app runs on completed checkouts: its source, and what it is told there. */
export type AppPixel = { script: string; settings: Record<string, string> }
export type AppPixels = {
  current: () => AppPixel | null
  publish: (pixel: AppPixel) => void
  remove: () => void
}

export function openAppPixels(db: Database): AppPixels {
  db.exec(
    'create table if not exists app_pixels (id integer primary key check (id = 1), script text not null, settings text not null) strict',
  )
  const write = db.prepare(
    'insert into app_pixels (id, script, settings) values (1, ?, ?) on conflict (id) do update set script = excluded.script, settings = excluded.settings',
  )
  const read = db.prepare('select script, settings from app_pixels')
  return {
    current: () => {
      const row = read.get() as { script: string; settings: string } | undefined
      return row
        ? { script: row.script, settings: JSON.parse(row.settings) as AppPixel['settings'] }
        : null
    },
    publish: ({ script, settings }) => void write.run(script, JSON.stringify(settings)),
    remove: () => db.exec('delete from app_pixels'),
  }
}

/** The admin API of the pixel. */
export const pixelApi: FastifyPluginAsync<{ pixels: AppPixels; isAdmin: Bearer }> = async (
  app,
  { pixels, isAdmin },
) => {
  app.addHook('onRequest', async request => {
    if (!isAdmin(request)) throw new HttpProblem(401, 'This needs the app’s secret as a bearer.')
  })
  app.put('/admin/api/pixel', request => {
    const { script, settings } = fieldsOf(request)
    const isText = (value: unknown): value is string => typeof value === 'string'
    if (!isText(script) || script === '')
      throw new HttpProblem(422, 'The pixel has no script.', [
        { field: 'script', message: 'The source of the pixel.' },
      ])
    if (typeof settings !== 'object' || settings === null || !Object.values(settings).every(isText))
      throw new HttpProblem(422, 'The pixel has no settings.', [
        { field: 'settings', message: 'Texts by name.' },
      ])
    pixels.publish({ script, settings: settings as AppPixel['settings'] })
    return { ok: true }
  })
  app.delete('/admin/api/pixel', () => {
    pixels.remove()
    return { ok: true }
  })
}
