import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
} from 'fastify'
import { HttpProblem } from '../domain/problem.ts'
import { timeoutOptions } from '../domain/server-timeouts.ts'
import { adminAuth } from './admin/admin-auth.ts'
import type { PlatformViews } from './admin/platform-views.ts'
import type { Redirects } from './pages/redirects.ts'
import { type pageShower, showMissing } from './pages/show-page.ts'

/**
 * The shop's server without its pages: what holds for every request, such as redirects, the back
 * office's door and the answers to failures.
 */
export async function shopServer({
  log,
  redirects,
  show,
  views,
  auth,
}: {
  log: FastifyBaseLogger | undefined
  redirects: Redirects
  show: ReturnType<typeof pageShower>
  views: PlatformViews
  auth: Parameters<typeof adminAuth>[1]
}): Promise<FastifyInstance> {
  const app = Fastify({
    ...(log && { loggerInstance: log }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 256 * 1024,
    ...timeoutOptions,
    routerOptions: { maxParamLength: 200 },
  })
  await app.register(cookie)
  await app.register(formbody)
  await app.register(compress, { threshold: 1024, encodings: ['br', 'gzip'] })

  app.addHook('onRequest', async ({ method, headers }) => {
    // Refuses a change that a page of another site requests in a shopper's name.
    if (
      method !== 'GET' &&
      method !== 'HEAD' &&
      headers.origin !== undefined &&
      hostOf(headers.origin) !== headers.host
    )
      throw new HttpProblem(403, 'This request came from another site, so nothing was changed.')
  })
  adminAuth(app, auth)
  // Runs before the page at that path, if there is one: a redirect that was set wins. Without
  // `no-store` browsers would keep a 301 for good.
  app.addHook('onRequest', async ({ method, url }, reply) => {
    if (redirects.where() !== 'always') return
    const target = method === 'GET' || method === 'HEAD' ? redirects.targetOf(url) : null
    if (target !== null) return reply.header('cache-control', 'no-store').redirect(target, 301)
  })
  app.addHook('onSend', async (_, reply) => {
    reply
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'strict-origin-when-cross-origin')
  })
  app.setNotFoundHandler((request, reply) =>
    request.method === 'GET' || (request.method === 'HEAD' && redirects.where() === 'missingPages')
      ? showMissing(show, request, reply)
      : reply.code(404).send({ message: 'There is nothing here.' }),
  )
  app.setErrorHandler<FastifyError | HttpProblem>((error, request, reply) => {
    const status = error instanceof HttpProblem ? error.status : (error.statusCode ?? 500)
    if (status >= 500) request.log.error({ err: error }, 'request failed')
    const message =
      status >= 500 && !(error instanceof HttpProblem)
        ? 'Something went wrong on our side.'
        : error.message
    if (!request.headers.accept?.includes('text/html'))
      return reply.code(status).send({
        message,
        ...(error instanceof HttpProblem && error.fields.length > 0 && { fields: error.fields }),
      })
    return reply
      .code(status)
      .type('text/html; charset=utf-8')
      .send(views.render('problem', { message }))
  })

  app.get('/platform.css', (_, reply) =>
    reply
      .type('text/css; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .send(views.css),
  )
  return app
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null
}
