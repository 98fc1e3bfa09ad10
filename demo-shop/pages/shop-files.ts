import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { createHash } from 'node:crypto'
import { encoded, scriptPartPath, type AppScripts } from '../apps/app-script.ts'
import { findProduct } from '../catalogue/collections.ts'
import type { Catalogue } from '../catalogue/changed.ts'
import { drawPicture, drawStillLife } from '../pictures/scene.ts'
import { shop } from '../shop.ts'
import type { Themes } from '../themes/themes.ts'

const day = 86_400
const scenes: Record<string, () => string> = {
  'morning-shelf': () =>
    drawStillLife(
      [
        { shape: 'moonVase', tones: ['salt'] },
        { shape: 'mug', tones: ['ash'] },
        { shape: 'bowl', tones: ['iron'] },
        { shape: 'jug', tones: ['ash'] },
      ],
      'warm',
    ),
  'gift-shelf': () =>
    drawStillLife(
      [
        { shape: 'board', tones: ['walnut'] },
        { shape: 'candle', tones: ['clay'] },
        { shape: 'budVase', tones: ['salt'] },
        { shape: 'napkins', tones: ['indigo'] },
      ],
      'clay',
    ),
  'harbour-shelf': () =>
    drawStillLife(
      [
        { shape: 'kettle', tones: ['night'] },
        { shape: 'cupPair', tones: ['salt'] },
        { shape: 'planter', tones: ['terracotta'] },
      ],
      'mist',
      300,
    ),
}

/**
 * Everything of the shop that is not a page: the app's script, theme assets, pictures, and what
 * crawlers ask for.
 */
export const shopFiles: FastifyPluginAsync<{
  origin: string
  themes: Themes
  scripts: AppScripts
  catalogue: Catalogue
}> = async (app, { origin, themes, scripts, catalogue }) => {
  app.get('/assets/twinshelf.js', (request, reply) => {
    const script = scripts.current()
    if (!script) return reply.code(404).type('text/plain').send('No script is published.')
    reply
      .header('etag', `"${script.etag}"`)
      .header('vary', 'accept-encoding')
      .header(
        'cache-control',
        `public, max-age=60, stale-while-revalidate=${day}, stale-if-error=${7 * day}`,
      )
    if (request.headers['if-none-match']?.includes(script.etag)) return reply.code(304).send()
    const { bytes, encoding } = encoded(script, String(request.headers['accept-encoding'] ?? ''))
    if (encoding) reply.header('content-encoding', encoding)
    return reply.type('text/javascript; charset=utf-8').send(bytes)
  })

  app.get(scriptPartPath, (_, reply) => {
    const part = scripts.part()
    if (!part) return reply.code(404).type('text/plain').send('No part is published.')
    return reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=60')
      .send(Buffer.from(part))
  })

  app.get<{ Params: { theme: string; file: string }; Querystring: { v?: unknown } }>(
    '/assets/:theme/:file',
    ({ params, query }, reply) => {
      const asset = themes.byId(params.theme)?.asset(params.file)
      if (!asset) return reply.callNotFound()
      // The content of an address with its hash never changes.
      const age = query.v === asset.version ? `max-age=${365 * day}, immutable` : 'max-age=60'
      return reply.type(asset.type).header('cache-control', `public, ${age}`).send(asset.body)
    },
  )

  const drawn = new Map<string, string>()
  const picture = (reply: FastifyReply, name: string, draw: () => string | null) => {
    const svg = drawn.get(name) ?? draw()
    if (!svg) return reply.callNotFound()
    drawn.set(name, svg)
    return reply
      .type('image/svg+xml')
      .header('cache-control', `public, max-age=${day}`)
      .header('etag', `"${createHash('sha256').update(svg).digest('base64url').slice(0, 16)}"`)
      .send(svg)
  }
  app.get<{ Params: { file: string } }>('/cdn/products/:file', ({ params: { file } }, reply) => {
    const [, handle = '', n = ''] = /^([a-z0-9-]+)-(\d{1,2})\.svg$/.exec(file) ?? []
    const product = findProduct(handle)
    return picture(reply, file, () => (product ? drawPicture(product, Number(n)) : null))
  })
  app.get<{ Params: { file: string } }>('/cdn/scenes/:file', ({ params: { file } }, reply) => {
    const name = file.replace(/\.svg$/, '')
    return picture(reply, name, () => (Object.hasOwn(scenes, name) ? scenes[name]!() : null))
  })

  app.get('/cdn/logo.svg', (_, reply) =>
    reply.type('image/svg+xml').header('cache-control', `public, max-age=${day}`).send(logo),
  )

  app.get('/robots.txt', (_, reply) =>
    reply
      .type('text/plain')
      .send(
        `User-agent: *\nDisallow: /admin\nDisallow: /cart\nDisallow: /checkout\nDisallow: /orders\nDisallow: /search\nSitemap: ${origin}/sitemap.xml\n`,
      ),
  )
  app.get('/sitemap.xml', (_, reply) =>
    reply.type('application/xml').send(
      `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${catalogue
        .pages()
        .filter(page => page.kind !== 'cart' && page.kind !== 'search')
        .map(page => `<url><loc>${origin}${page.path}</loc></url>`)
        .join('')}</urlset>\n`,
    ),
  )
  app.get('/favicon.ico', (_, reply) => reply.redirect('/favicon.svg', 301))
  app.get('/favicon.svg', (_, reply) =>
    reply.type('image/svg+xml').header('cache-control', `public, max-age=${day}`).send(favicon),
  )
}

/** The logo: the shop's mark and its name. */
export const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 236 48" role="img" aria-label="${shop.name.replace('&', '&amp;')}"><rect width="48" height="48" rx="10" fill="#7a4a2b"/><path d="M12 20h21l-1.5 13c0 3-3 4.5-4.5 4.5h-9c-3 0-4.5-1.5-4.5-4.5Z" fill="#f4efe4"/><path d="M33 23c7-1.5 9 7 1.5 10" fill="none" stroke="#f4efe4" stroke-width="3"/><path d="M24 17c0-6 3-9 9-10-1.5 6-4 9-9 10Z" fill="#aeb98a"/><text x="62" y="32" font-family="Georgia, serif" font-size="24" fill="#2d2620">${shop.name.replace('&', '&amp;')}</text></svg>`
const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#7a4a2b"/><path d="M8 13h14l-1 9c0 2-2 3-3 3h-6c-2 0-3-1-3-3Z" fill="#f4efe4"/><path d="M22 15c5-1 6 5 1 7" fill="none" stroke="#f4efe4" stroke-width="2"/><path d="M16 11c0-4 2-6 6-7-1 4-3 6-6 7Z" fill="#aeb98a"/></svg>`
