import { createHash } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import type { Bearer } from './bearer.ts'
import type { Database } from '../database.ts'

type Named = { Params: { name: string } }
type Row = { type: string; hash: string; body: Uint8Array }

const types = ['image/png', 'image/jpeg', 'image/webp']
const bodyLimit = 6 * 1024 * 1024
const year = 365 * 86_400

export type AppPictures = {
  get: (name: string) => Row | null
  put: (name: string, type: string, body: Buffer) => void
  /** Removing a picture that does not exist is no error. */
  remove: (name: string) => void
}

/** Pictures that the app has put on the shop's own asset host. */
export function openAppPictures(db: Database): AppPictures {
  db.exec(
    'create table if not exists app_pictures (name text primary key, type text not null, hash text not null, body blob not null) strict',
  )
  const read = db.prepare('select type, hash, body from app_pictures where name = ?')
  const write = db.prepare(
    'insert into app_pictures (name, type, hash, body) values (?, ?, ?, ?) on conflict (name) do update set type = excluded.type, hash = excluded.hash, body = excluded.body',
  )
  const remove = db.prepare('delete from app_pictures where name = ?')
  return {
    get: name => (read.get(name) as Row | undefined) ?? null,
    put: (name, type, body) => {
      write.run(name, type, createHash('sha256').update(body).digest('hex'), body)
    },
    remove: name => {
      remove.run(name)
    },
  }
}

/**
 * Serves the pictures to browsers. A name belongs to one picture for good, so browsers may keep it.
 */
export const pictureFiles: FastifyPluginAsync<{ pictures: AppPictures }> = async (
  app,
  { pictures },
) => {
  app.get<Named>('/cdn/uploads/:name', ({ params }, reply) => {
    const picture = pictures.get(params.name)
    if (!picture)
      return reply
        .code(404)
        .header('cache-control', 'no-store')
        .type('text/plain')
        .send('There is no such picture.')
    return reply
      .type(picture.type)
      .header('etag', `"${picture.hash.slice(0, 16)}"`)
      .header('cache-control', `public, max-age=${year}, immutable`)
      .send(picture.body)
  })
}

/**
 * What an installed app may do with these pictures. Every request needs the app's secret as a
 * bearer token.
 */
export const picturesApi: FastifyPluginAsync<{
  origin: string
  pictures: AppPictures
  isAdmin: Bearer
}> = async (app, { origin, pictures, isAdmin }) => {
  app.addHook('onRequest', async request => {
    if (!isAdmin(request))
      throw new HttpProblem(401, 'This needs an access token of the app as a bearer.')
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(types, { parseAs: 'buffer', bodyLimit }, (_request, body, done) =>
    done(null, body),
  )
  const told = (name: string) => {
    const picture = pictures.get(name)
    if (!picture) throw new HttpProblem(404, 'There is no such picture.')
    return { name, url: `${origin}/cdn/uploads/${name}`, hash: picture.hash }
  }

  app.get<Named>('/admin/api/pictures/:name', ({ params }) => told(params.name))
  app.put<Named>(
    '/admin/api/pictures/:name',
    { bodyLimit },
    ({ params: { name }, headers, body }) => {
      if (!/^[\w-]{1,80}\.(png|jpg|webp)$/.test(name))
        throw new HttpProblem(
          422,
          'A name of letters, digits and dashes that ends in .png, .jpg or .webp.',
          [{ field: 'name', message: 'Not a picture’s name.' }],
        )
      if (!Buffer.isBuffer(body) || body.length === 0)
        throw new HttpProblem(422, 'The body must be the picture.', [
          { field: 'body', message: 'The picture.' },
        ])
      pictures.put(name, String(headers['content-type']), body)
      return told(name)
    },
  )
  app.delete<Named>('/admin/api/pictures/:name', ({ params }) => {
    pictures.remove(params.name)
    return { ok: true }
  })
}
