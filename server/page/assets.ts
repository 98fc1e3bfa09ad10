import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

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
 * Serves the built files, compressed when they were built. Their names change with their content,
 * so browsers keep them and never ask again. Only files that exist now have a route: all other
 * addresses get the app's own page that says so.
 */
export function assets(app: FastifyInstance): void {
  app.register(fastifyStatic, {
    root: fileURLToPath(folder),
    prefix: '/built/',
    wildcard: false,
    // What the server itself reads, and the compressed forms, which have the address of the plain.
    globIgnore: ['**/*.json', '**/*.br', '**/*.gz'],
    preCompressed: true,
    index: false,
    decorateReply: false,
    immutable: true,
    maxAge: '365d',
    setHeaders: reply => void reply.header('vary', 'accept-encoding'),
  })
}
