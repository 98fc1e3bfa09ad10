import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { SignJWT } from 'jose'
import { richest } from '../../../domain/platform/capabilities.ts'

export const appKey = 'test-app',
  appSecret = 'test-app-secret-0123456789',
  sessionSecret = 'test-session-secret-0123456789'

/**
 * A fake shop on its own port, with only what the engine's tests need: pages, and the admin API
 * that accepts the script.
 */
export type SmallShop = {
  origin: string
  /** Scripts that were published, oldest first. */
  scripts: string[]
  pages: { path: string; title: string; kind: string }[]
  /** As its admin API says it; undefined leaves it out. */
  currency: string | null | undefined
  /** The shop's logo; null when it has none. */
  logo: { type: string; body: Buffer } | null
  /** While true, its admin API answers 503. */
  isDown: boolean
  /** While true, its admin API accepts requests and never answers. */
  isHanging: boolean
  idToken: (
    claims?: Record<string, unknown>,
    options?: { secret?: string; alg?: string },
  ) => Promise<string>
  close: () => Promise<void>
}

export const firstShop = 'fern-and-kiln.demo-shop.test',
  secondShop = 'other-shop.demo-shop.test'

export async function smallShop(shop = firstShop): Promise<SmallShop> {
  const app: FastifyInstance = Fastify({ forceCloseConnections: true })
  const own: SmallShop = {
    origin: '',
    scripts: [],
    currency: 'USD',
    logo: null,
    isDown: false,
    isHanging: false,
    close: () => app.close(),
    pages: [
      ['/', 'Home', 'home'],
      ['/products/mug', 'Mug', 'product'],
      ['/products/bowl', 'Bowl', 'product'],
      ['/pages/gift-guide', 'Gift guide', 'page'],
      ['/pages/gift-guide-2026', 'Gift guide 2026', 'page'],
    ].map(([path, title, kind]) => ({ path: path!, title: title!, kind: kind! })),
    idToken: (claims = {}, { secret = appSecret, alg = 'HS256' } = {}) => {
      const now = Math.floor(Date.now() / 1000)
      return new SignJWT({
        iss: `https://${shop}`,
        dest: `https://${shop}`,
        aud: appKey,
        sub: '7',
        exp: now + 60,
        nbf: now,
        iat: now,
        jti: randomUUID(),
        sid: randomUUID(),
        ...claims,
      })
        .setProtectedHeader({ alg })
        .sign(new TextEncoder().encode(secret))
    },
  }
  app.addContentTypeParser('text/javascript', { parseAs: 'string' }, (_, body, done) =>
    done(null, body),
  )
  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/admin/api/')) return
    if (own.isHanging) return new Promise(() => {})
    if (own.isDown) return reply.code(503).send()
    if (request.url === '/admin/api/oauth/token') return
    if (request.headers.authorization !== 'Bearer small-access') return reply.code(401).send()
  })
  // Its tokens last longer than any test.
  app.post('/admin/api/oauth/token', () => ({
    access_token: 'small-access',
    expires_in: 10 ** 9,
    refresh_token: 'small-refresh',
    refresh_token_expires_in: 10 ** 9,
  }))
  app.get('/admin/api/shop.json', () => ({
    shop,
    domain: shop,
    origin: own.origin,
    name: 'Fern & Kiln',
    currency: own.currency,
    timeZone: 'America/New_York',
    email: 'mara@example.test',
    themeId: 'kiln',
  }))
  app.get('/admin/api/script_switch.json', () => ({
    state: 'notNeeded',
    url: 'http://shop.localhost/admin/themes',
  }))
  app.get('/admin/api/experiments.json', () => [])
  app.get('/admin/api/capabilities.json', () => richest)
  app.get('/admin/api/page_apis.json', () => ({ part: '', privacy: false, cart: false }))
  app.put('/admin/api/script', request => {
    own.scripts.push(String(request.body))
    return { url: `${own.origin}/assets/twinshelf.js` }
  })
  app.get<{ Querystring: { search: string } }>('/admin/api/pages.json', request => {
    const text = request.query.search.toLowerCase()
    return own.pages.filter(
      page => page.path.includes(text) || page.title.toLowerCase().includes(text),
    )
  })
  app.get('/admin/api/logo.svg', (_, reply) =>
    own.logo ? reply.type(own.logo.type).send(own.logo.body) : reply.code(404).send(),
  )
  app.get('/assets/twinshelf.js', (_, reply) =>
    own.scripts.length > 0
      ? reply.type('text/javascript').send(own.scripts.at(-1))
      : reply.code(404).send(),
  )
  app.get('/redirecting', (_, reply) => reply.redirect('/products/mug'))
  app.get('/round', (_, reply) => reply.redirect('/and-round'))
  app.get('/and-round', (_, reply) => reply.redirect('/round'))
  app.get('/elsewhere', (_, reply) => reply.redirect('https://elsewhere.example/'))
  app.get<{ Params: { step: string } }>('/steps/:step', ({ params: { step } }, reply) =>
    reply.redirect(`/steps/${Number(step) + 1}`),
  )
  app.get('/*', (request, reply) =>
    own.pages.some(page => page.path === request.url.split('?')[0])
      ? reply.type('text/html').send('<!doctype html>')
      : reply.code(404).send(),
  )
  own.origin = (await app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'localhost')
  return own
}
