import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { type Answered, answeredOf } from '../domain/answered.ts'
import { readEdgeAddress } from '../domain/events/client-address.ts'
import { paths } from '../domain/paths.ts'
import { timeoutOptions } from '../domain/server-timeouts.ts'
import { abTests } from './ab-tests.ts'
import { admin } from './admin.ts'
import { adminHome } from './admin-home.ts'
import { adminUsers } from './admin-users.ts'
import { apiSessions } from './api-session.ts'
import { assets, builtAssets } from './assets.ts'
import { billing } from './billing.ts'
import type { AppConfig } from './config.ts'
import { compression } from './compression.ts'
import { cookieJar } from './cookies.ts'
import { brandStyles } from './brand-styles.ts'
import { design } from './design.ts'
import { draftAudiences } from './draft-audiences.ts'
import { draftChecks } from './draft-checks.ts'
import { draftMatches } from './draft-matches.ts'
import { draftPreviews } from './draft-previews.ts'
import { draftChoices } from './draft-choices.ts'
import { draftUploads } from './draft-uploads.ts'
import { draftProducts } from './draft-products.ts'
import { draftArrives } from './draft-save.ts'
import { drafts } from './drafts.ts'
import { errorPages, newRequestId, plainPaths, unreadable } from './error-pages.ts'
import { exports } from './exports.ts'
import { gate, type Door } from './gate.ts'
import { googleConnect, googleReturn } from './google-connect.ts'
import { guestPages } from './guest-pages.ts'
import { health } from './health.ts'
import { integrations } from './integrations.ts'
import { help } from './help.ts'
import { liftAssist } from './lift-assist.ts'
import { liveContent } from './live-content.ts'
import { liveFigures } from './live-figures.ts'
import { notifications } from './notifications.ts'
import { outside } from './outside.ts'
import { providePaper } from './paper.ts'
import { onboarding } from './onboarding.ts'
import { platformHost } from './platform-host.ts'
import { plansPages } from './plan-pages.ts'
import { planUpgrade } from './plan-upgrade.ts'
import { publicSide } from './public-side.ts'
import { type RelayTiming, startRelay } from './relay.ts'
import { liveRoute } from './relay-route.ts'
import { reportTabs } from './report-tabs.ts'
import { reports } from './reports.ts'
import { commonHeaders, sameOriginChanges, type Origins } from './security.ts'
import { sessions } from './session.ts'
import { settings } from './settings.ts'
import { signIn, signInBy } from './sign-in.ts'
import { smallScreen } from './small-screen.ts'
import { staffGate } from './staff-gate.ts'
import { staffCookie } from './staff-session.ts'
import { staffSignIn } from './staff-sign-in.ts'
import { testActs } from './test-acts.ts'
import { testsList } from './tests-list.ts'
import { uninstall } from './uninstall.ts'
import { createUpstream, type Patience } from './upstream.ts'
import type { UsageTiming } from './usage-sender.ts'

export type AppOptions = {
  config: AppConfig
  /** Origin of the API the app is a client of. */
  upstreamOrigin: string
  clock?: () => Date
  log?: FastifyBaseLogger
  /** Told of every request that was answered. */
  onAnswered?: (answer: Answered) => void
  /** How long it waits for the API. */
  patience?: Partial<Patience>
  /** How it waits for the API's hub, and for its own pages. */
  relayTiming?: Partial<RelayTiming>
  /** How long it gathers what it tells of its own use. */
  usageTiming?: Partial<UsageTiming>
}
/** `livePages`: how many open pages listen for news just now. */
export type App = { app: FastifyInstance; livePages: () => number; close: () => Promise<void> }

/** The merchants' app, ready to listen. Holds no data of its own. Throws when its styles and scripts are not built. */
export async function buildApp({
  config,
  upstreamOrigin,
  clock = () => new Date(),
  log,
  patience,
  relayTiming,
  usageTiming,
  onAnswered,
}: AppOptions): Promise<App> {
  const app = Fastify({
    ...(log ? { loggerInstance: log } : { logger: false }),
    genReqId: newRequestId,
    logController: new LogController({ requestIdLogLabel: 'uuid', disableRequestLogging: true }),
    bodyLimit: 256 * 1024,
    ...timeoutOptions,
    trustProxy: config.TRUST_PROXY ?? false,
    routerOptions: { maxParamLength: 255 },
    frameworkErrors: unreadable(config.APP_ORIGIN),
  })
  const host = platformHost(config)
  const origins: Origins = {
    app: config.APP_ORIGIN,
    shop: config.DEMO_SHOP_ORIGIN,
    admin: host.origin,
  }
  const scheduler = config.SCHEDULER_URL
    ? { url: config.SCHEDULER_URL, script: config.SCHEDULER_SCRIPT_URL }
    : null
  const upstream = createUpstream(upstreamOrigin, config.PLATFORM, patience)
  const jar = cookieJar(config.APP_ORIGIN)
  const apis = apiSessions(upstream, clock)
  const door: Door = {
    jar,
    session: sessions(upstream, clock),
    apiSession: apis,
    signIn: signInBy(upstream, jar, clock),
    clock,
    origin: config.APP_ORIGIN,
  }
  const staffDoor = { upstream, cookie: staffCookie(config.APP_ORIGIN) }
  const others = outside(app, { config, upstream, clock, timing: usageTiming })
  const relay = startRelay({
    origin: upstreamOrigin,
    upstream,
    clock,
    log: app.log,
    forget: apis.forget,
    timing: relayTiming,
  })
  providePaper(app.server, {
    origins,
    host,
    asset: builtAssets(),
    docs: config.DOCS_URL ?? paths.help(),
    extras: others.extras,
  })

  const { CLIENT_IP_HEADER: addressHeader } = config
  if (addressHeader)
    app.addHook('onRequest', async ({ raw }) => readEdgeAddress(raw.headers, addressHeader))
  if (onAnswered)
    app.addHook('onResponse', async (request, reply) => onAnswered(answeredOf(request, reply)))
  await app.register(cookie)
  await liveRoute(app, { relay, door })
  commonHeaders(app, origins)
  liveFigures(app, door)
  errorPages(app, door, staffDoor)
  plainPaths(app)
  assets(app)
  health(app, { isReady: upstream.isReady })
  app.register(publicSide, { upstreamOrigin, addressHeader })
  app.register(async pages => {
    pages.removeAllContentTypeParsers()
    await pages.register(formbody)
    await pages.register(compress, compression)
    requestLog(pages)
    sameOriginChanges(pages, origins)
    help(pages)
    smallScreen(pages)
    guestPages(pages, { host, door })
    googleReturn(pages)
    signIn(pages, { host, jar, session: door.session })
    staffSignIn(pages, staffDoor)
    pages.register(async staff => {
      staffGate(staff, staffDoor)
      staff.addHook('preValidation', async request => {
        request.body ??= {}
      })
      adminHome(staff, { clock })
      adminUsers(staff, { clock, cookie: staffDoor.cookie })
      admin(staff, { clock })
    })
    pages.register(async merchants => {
      merchants.addHook('onRequest', draftArrives)
      gate(merchants, door)
      planUpgrade(merchants, { clock })
      liveContent(merchants, { clock })
      // An act without fields comes without a body.
      merchants.addHook('preValidation', async request => {
        request.body ??= {}
      })
      testsList(merchants, { clock })
      drafts(merchants, { clock })
      draftMatches(merchants, { clock })
      draftChecks(merchants)
      draftAudiences(merchants)
      draftPreviews(merchants)
      draftUploads(merchants)
      draftChoices(merchants)
      draftProducts(merchants)
      reports(merchants, { clock })
      reportTabs(merchants, { clock })
      abTests(merchants, { clock })
      testActs(merchants, { clock })
      exports(merchants)
      liftAssist(merchants)
      design(merchants)
      settings(merchants, { supportEmail: config.SUPPORT_EMAIL ?? null, clock })
      notifications(merchants, { clock })
      uninstall(merchants, { relay, clock })
      plansPages(merchants, { clock, scheduler, supportEmail: config.SUPPORT_EMAIL ?? null })
      billing(merchants, { clock, scheduler })
      onboarding(merchants)
      brandStyles(merchants)
      integrations(merchants, { patience: patience?.timeout })
      googleConnect(merchants)
    })
  })
  await app.ready()
  return {
    app,
    livePages: relay.count,
    close: async () => {
      await app.close()
      await others.close()
      await upstream.close()
    },
  }
}

/** One line a request, with the path and never the query, which may carry tokens. */
function requestLog(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
  })
}
