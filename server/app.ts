import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { constants } from 'node:zlib'
import { abTests } from './ab-tests.ts'
import { account } from './account.ts'
import { apiSessions } from './api-session.ts'
import { assets, builtAssets } from './assets.ts'
import type { AppConfig } from './config.ts'
import { cookieJar } from './cookies.ts'
import { drafts } from './drafts.ts'
import { errorPages, newRequestId, unreadable } from './error-pages.ts'
import { gate, type Door } from './gate.ts'
import { guestPages } from './guest-pages.ts'
import { health } from './health.ts'
import { liftAssist } from './lift-assist.ts'
import { providePaper } from './page.ts'
import { plansPages } from './plan-pages.ts'
import { publicSide } from './public-side.ts'
import { reports } from './reports.ts'
import { commonHeaders, sameOriginChanges, type Origins } from './security.ts'
import { sessions } from './session.ts'
import { signIn, signInBy } from './sign-in.ts'
import { testsList } from './tests-list.ts'
import { createUpstream, type Patience } from './upstream.ts'

export type AppOptions = {
  config: AppConfig
  /** Origin of the API the app is a client of. */
  upstreamOrigin: string
  clock?: () => Date
  log?: FastifyBaseLogger
  /** How long it waits for the API. */
  patience?: Partial<Patience>
}
export type App = { app: FastifyInstance; close: () => Promise<void> }

/** The merchants' app, ready to listen. Holds no data of its own. Throws when its styles and scripts are not built. */
export async function buildApp({ config, upstreamOrigin, clock = () => new Date(), log, patience }: AppOptions): Promise<App> {
  const app = Fastify({
    ...(log ? { loggerInstance: log } : { logger: false }), genReqId: newRequestId,
    logController: new LogController({ requestIdLogLabel: 'uuid', disableRequestLogging: true }), bodyLimit: 256 * 1024, trustProxy: config.TRUST_PROXY ?? false, routerOptions: { maxParamLength: 255 },
    frameworkErrors: unreadable(config.APP_ORIGIN),
  })
  const origins: Origins = { app: config.APP_ORIGIN, shop: config.DEMO_SHOP_ORIGIN, admin: config.DEMO_SHOP_ORIGIN }
  const upstream = createUpstream(upstreamOrigin, config.PLATFORM, patience)
  const jar = cookieJar(config.APP_ORIGIN)
  const door: Door = { jar, session: sessions(upstream, clock), apiSession: apiSessions(upstream, clock), signIn: signInBy(upstream, jar, clock), clock }
  providePaper(app.server, { origins, asset: builtAssets() })

  await app.register(cookie)
  commonHeaders(app, origins)
  errorPages(app, door)
  assets(app)
  health(app, { isReady: upstream.isReady })
  app.register(publicSide, { upstreamOrigin })
  app.register(async pages => {
    pages.removeAllContentTypeParsers()
    await pages.register(formbody)
    await pages.register(compress, { encodings: ['br', 'gzip'], brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } } })
    requestLog(pages)
    sameOriginChanges(pages, origins)
    guestPages(pages, { adminOrigin: origins.admin })
    signIn(pages, { adminOrigin: origins.admin })
    pages.register(async merchants => {
      gate(merchants, door)
      // An act without fields comes without a body.
      merchants.addHook('preValidation', async request => { request.body ??= {} })
      testsList(merchants, { clock })
      drafts(merchants)
      reports(merchants, { clock })
      abTests(merchants, { clock })
      liftAssist(merchants)
      account(merchants)
      plansPages(merchants)
    })
  })
  await app.ready()
  return { app, close: async () => { await app.close(); await upstream.close() } }
}

/** One line a request, with the path and never the query, which may carry tokens. */
function requestLog(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info({ method: request.method, path: request.url.split('?', 1)[0], status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'request')
  })
}
