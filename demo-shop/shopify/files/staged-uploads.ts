import { randomUUID } from 'node:crypto'
import multipart from '@fastify/multipart'
import type { FastifyPluginAsync } from 'fastify'
import type { ShopFileStore } from './shop-files.ts'

/** A place to which the app uploads a file before it becomes one of the shop's. */
type Target = { name: string; type: string; body: Buffer | null }
export type StagedUploads = {
  /** Paths of the place, and of the file that will be there. */
  open: (name: string, type: string) => { path: string; source: string }
  /** What was uploaded to a place, by the address of the file. */
  uploaded: (source: string) => { name: string; type: string; body: Buffer } | null
  put: (token: string, body: Buffer) => boolean
}
const folder = '/shopify-uploads'
const maxTargets = 100,
  maxBytes = 20 * 1024 * 1024
const year = 365 * 86_400

export function openStagedUploads(): StagedUploads {
  const targets = new Map<string, Target>()
  return {
    open: (name, type) => {
      // The oldest make room: nobody comes back to a place that was never used.
      if (targets.size >= maxTargets) targets.delete(targets.keys().next().value!)
      const token = randomUUID()
      targets.set(token, { name, type, body: null })
      const path = `${folder}/${token}`
      return { path, source: `${path}/${encodeURIComponent(name)}` }
    },
    uploaded: source => {
      const target = targets.get(source.split(`${folder}/`)[1]?.split('/')[0] ?? '')
      return target?.body ? { name: target.name, type: target.type, body: target.body } : null
    },
    put: (token, body) => {
      const target = targets.get(token)
      if (!target) return false
      target.body = body
      return true
    },
  }
}

/** Where files are uploaded to, and where the shop's pages have them from. */
export const fileRoutes: FastifyPluginAsync<{
  uploads: StagedUploads
  files: ShopFileStore
}> = async (app, { uploads, files }) => {
  await app.register(multipart, { limits: { fileSize: maxBytes, files: 1, fields: 20 } })
  app.post<{ Params: { token: string } }>(`${folder}/:token`, async (request, reply) => {
    const file = await request.file()
    if (!file) return reply.code(400).send({ message: 'There is no file in it.' })
    const body = await file.toBuffer()
    return uploads.put(request.params.token, body)
      ? reply.code(201).send({ ok: true })
      : reply.code(403).send({ message: 'The upload has expired.' })
  })
  app.get<{ Params: { name: string } }>('/cdn/files/:name', ({ params }, reply) => {
    const file = files.body(params.name)
    if (!file) return reply.code(404).type('text/plain').send('There is no such file.')
    return reply
      .type(file.type)
      .header('cache-control', `public, max-age=${year}`)
      .send(Buffer.from(file.body))
  })
}
