import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { type Answered, answeredOf } from '../domain/answered.ts'
import { readEdgeAddress } from '../domain/events/client-address.ts'
import { paths } from '../domain/paths.ts'
import { timeoutOptions } from '../domain/server-timeouts.ts'
import { abTests } from './tests/ab-tests.ts'
import { admin } from './staff/admin.ts'
import { adminHome } from './staff/admin-home.ts'
import { adminUsers } from './staff/admin-users.ts'
import { apiSessions, shellLife } from './upstream/api-session.ts'
import { assets, builtAssets, builtIslands } from './page/assets.ts'
import { billing } from './plans/billing.ts'
import type { AppConfig } from './config.ts'
import { compression } from './http/compression.ts'
import { cookieJar } from './session/cookies.ts'
import { brandStyles } from './brand/brand-styles.ts'
import { design } from './page/design.ts'
import { downloadLinks } from './session/download-links.ts'
import { draftAudiences } from './drafts/draft-audiences.ts'
import { draftChecks } from './drafts/draft-checks.ts'
import { draftMatches } from './drafts/draft-matches.ts'
import { draftPreviews } from './drafts/draft-previews.ts'
import { draftChoices } from './drafts/draft-choices.ts'
import { draftUploads } from './drafts/draft-uploads.ts'
import { draftProducts } from './drafts/draft-products.ts'
import { drafts } from './drafts/drafts.ts'
import { newRequestId, requestLog } from '../http/request-log.ts'
import { errorPages, plainPaths, unreadable } from './page/error-pages.ts'
import { exports } from './reports/exports.ts'
import { gate, type Auth } from './session/gate.ts'
import { googleConnect, googleReturn } from './google/google-connect.ts'
import { guestPages } from './page/guest-pages.ts'
import { health } from './health.ts'
import { integrations } from './google/integrations.ts'
import { help } from './page/help.ts'
import { liftAssist } from './lift-assist/lift-assist.ts'
import { liveContent } from './reports/live-content.ts'
import { liveFigures } from './reports/live-figures.ts'
import { notifications } from './settings/notifications.ts'
import { vendors } from './events/vendors.ts'
import { onboarding } from './onboarding/onboarding.ts'
import { addressBook, forGuests } from './page/shop-addresses.ts'
import { pageCookies } from './embedding/page-cookies.ts'
import { plansPages } from './plans/plan-pages.ts'
import { planOutcomes } from './plans/plan-outcome.ts'
import { planUpgrade } from './plans/plan-upgrade.ts'
import { publicSide } from './http/public-side.ts'
import { type RelayTiming, startRelay } from './live/relay.ts'
import { liveRoute } from './live/relay-route.ts'
import { reportTabs } from './reports/report-tabs.ts'
import { reports } from './reports/reports.ts'
import { requestState } from './request-state.ts'
import { commonHeaders, sameOriginChanges, type Origins } from './http/security.ts'
import { sessions } from './session/session.ts'
import { settings } from './settings/settings.ts'
import { storeLogo } from './stores/store-logo.ts'
import { signIn, signInBy } from './session/sign-in.ts'
import { smallScreen } from './page/small-screen.ts'
import { staffGate } from './staff/staff-gate.ts'
import { staffCookie } from './staff/staff-session.ts'
import { staffSignIn } from './staff/staff-sign-in.ts'
import { testActs } from './tests/test-acts.ts'
import { testsList } from './tests/tests-list.ts'
import { uninstall } from './stores/uninstall.ts'
import { createUpstream, type Timeouts } from './upstream/upstream.ts'
import type { UsageTiming } from './events/usage-sender.ts'

export type AppOptions = {
  config: AppConfig
  /** Origin of the API that the app calls. */
  upstreamOrigin: string
  clock?: () => Date
  log?: FastifyBaseLogger
  /** Called after every answered request. */
  onAnswered?: (answer: Answered) => void
  /** Timeouts of calls to the API. */
  timeouts?: Partial<Timeouts>
  /** Timing of the connection to the API's hub and of the connections to open pages. */
  relayTiming?: Partial<RelayTiming>
  /** How long usage events are collected before they are sent. */
  usageTiming?: Partial<UsageTiming>
  /** Milliseconds that an uploaded picture may take to arrive. */
  uploadTime?: number
}
/** `livePages` returns the number of open pages that listen for news. */
export type App = { app: FastifyInstance; livePages: () => number; close: () => Promise<void> }

/**
 * Builds the merchants' app, ready to listen. It holds no data. Throws when its styles and scripts
 * are not built.
 */
export async function buildApp({
  config,
  upstreamOrigin,
  clock = () => new Date(),
  log,
  timeouts,
  relayTiming,
  usageTiming,
  uploadTime,
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
  requestState(app)
  const origins: Origins = { app: config.APP_ORIGIN }
  const scheduler = config.SCHEDULER_URL
    ? { url: config.SCHEDULER_URL, script: config.SCHEDULER_SCRIPT_URL }
    : null
  const supportEmail = config.SUPPORT_EMAIL ?? null
  const upstream = createUpstream(upstreamOrigin, timeouts)
  const jar = cookieJar(config.APP_ORIGIN)
  // With an engine elsewhere there may be more processes like this one.
  const apis = apiSessions(upstream, clock, {
    life: config.API_ORIGIN ? shellLife.oneOfMany : shellLife.alone,
  })
  const addresses = addressBook(upstream, jar, clock)
  const auth: Auth = {
    jar,
    session: sessions(upstream, clock),
    apiSession: apis,
    useLink: upstream.useDownloadLink,
    signIn: signInBy({ upstream, jar, clock, apiSession: apis, addresses }),
    clock,
    addresses,
    origin: config.APP_ORIGIN,
  }
  const staffAuth = { upstream, cookie: staffCookie(config.APP_ORIGIN) }
  const others = vendors(app, { config, upstream, clock, timing: usageTiming })
  const relay = startRelay({
    origin: upstreamOrigin,
    upstream,
    clock,
    log: app.log,
    forget: apis.forget,
    timing: relayTiming,
  })
  app.decorate('layout', {
    origins,
    asset: builtAssets(),
    scripts: builtIslands(),
    docs: config.DOCS_URL ?? paths.help(),
    extras: others.extras,
    scheduler,
  })

  const { CLIENT_IP_HEADER: addressHeader } = config
  if (addressHeader)
    app.addHook('onRequest', async ({ raw }) => readEdgeAddress(raw.headers, addressHeader))
  if (onAnswered)
    app.addHook('onResponse', async (request, reply) => onAnswered(answeredOf(request, reply)))
  await app.register(cookie)
  pageCookies(app)
  await liveRoute(app, { relay, auth, firstWithin: relayTiming?.first })
  commonHeaders(app, origins)
  liveFigures(app, auth)
  errorPages(app, auth, staffAuth)
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
    smallScreen(pages)
    storeLogo(pages, auth)
    googleReturn(pages, auth.addresses)
    pages.register(async guests => {
      forGuests(guests, auth.addresses)
      help(guests)
      guestPages(guests, auth)
      signIn(guests, auth, upstream)
    })
    staffSignIn(pages, staffAuth)
    pages.register(async staff => {
      staffGate(staff, staffAuth)
      staff.addHook('preValidation', async request => {
        request.body ??= {}
      })
      adminHome(staff, { clock })
      adminUsers(staff, { clock, cookie: staffAuth.cookie })
      admin(staff, { clock })
    })
    pages.register(async merchants => {
      gate(merchants, auth)
      planOutcomes(merchants)
      planUpgrade(merchants, { clock })
      liveContent(merchants, { clock })
      // A form without fields is posted without a body.
      merchants.addHook('preValidation', async request => {
        request.body ??= {}
      })
      testsList(merchants, { clock })
      drafts(merchants, { clock })
      draftMatches(merchants, { clock })
      draftChecks(merchants)
      draftAudiences(merchants)
      draftPreviews(merchants)
      draftUploads(merchants, { time: uploadTime })
      draftChoices(merchants)
      draftProducts(merchants)
      reports(merchants, { clock })
      reportTabs(merchants, { clock })
      abTests(merchants, { clock })
      testActs(merchants, { clock })
      exports(merchants)
      downloadLinks(merchants)
      liftAssist(merchants)
      design(merchants)
      settings(merchants, { supportEmail, clock })
      notifications(merchants, { clock })
      uninstall(merchants, { relay, clock })
      plansPages(merchants, { clock, scheduler, supportEmail })
      billing(merchants, { clock, scheduler, supportEmail })
      onboarding(merchants)
      brandStyles(merchants)
      integrations(merchants, { timeout: timeouts?.timeout })
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
