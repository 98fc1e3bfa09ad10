import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { FastifyInstance } from 'fastify'

type Built = { type: string; plain: Buffer; br: Buffer; gzip: Buffer }
const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const folder = new URL('../../public/built/app/', import.meta.url)

/**
 * Names of the built files: "app.css" → "/built/app-2f8a….css"; empty for a stylesheet that holds
 * no rules. Throws when nothing has been built.
 */
export function builtAssets(): (name: string) => string {
  let manifest: Record<string, string>
  try {
    manifest = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as Record<
      string,
      string
    >
  } catch (error) {
    throw new Error('The app\'s styles and scripts are not built: run "npm run build".', {
      cause: error,
    })
  }
  return name => (manifest[name] ? `/built/${manifest[name]}` : '')
}

/**
 * Serves the built files from memory, compressed when they were built. Their names change with
 * their content, so they never go out of date.
 */
export function assets(app: FastifyInstance): void {
  const files = new Map<string, Built>()
  for (const name of readdirSync(folder)) {
    const type = types[extname(name)]
    const read = (suffix: string) => readFileSync(new URL(name + suffix, folder))
    if (type) files.set(name, { type, plain: read(''), br: read('.br'), gzip: read('.gz') })
  }
  app.get<{ Params: { file: string } }>(
    '/built/:file',
    async ({ params: { file }, headers }, reply) => {
      const built = files.get(file)
      if (!built) return reply.callNotFound()
      const accepted = String(headers['accept-encoding'] ?? '')
      const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null
      if (encoding) reply.header('content-encoding', encoding)
      return reply
        .type(built.type)
        .header('vary', 'accept-encoding')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(built[encoding ?? 'plain'])
    },
  )
}
