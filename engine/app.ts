import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { answeredOf } from '../domain/answered.ts'
import { quotas } from '../domain/quota.ts'
import { timeoutOptions } from '../domain/server-timeouts.ts'
import { readEdgeAddress } from '../domain/events/client-address.ts'
import { watchAddresses } from './events/address-watch.ts'
import { keepAnswers } from './http/answers.ts'
import { openLimits } from './http/shared-limits.ts'
import { apiMeter } from './http/api-hours.ts'
import { apiPage } from './http/api-page.ts'
import { apiCalls, version } from './app-calls.ts'
import { connectPlatforms } from './app-platforms.ts'
import type { EngineOptions } from './app-options.ts'
import { shopRoutes } from './app-shop-routes.ts'
import { authTokens } from './session/auth-tokens.ts'
import { within } from './closing.ts'
import { collectTokens } from './events/collect-tokens.ts'
import type { EngineContext } from './context.ts'
import { type Db, openDb } from './db/connection.ts'
import { whenItAnswers } from './db/lost.ts'
import { migrate } from './db/migrate.ts'
import { diskOf } from './db/disk.ts'
import { googleAnalytics } from './google/google-parts.ts'
import { health } from './staff/health.ts'
import { startJournal } from './journal/journal.ts'
import { keyRing, keysFor } from './session/key-ring.ts'
import { startHub } from './hub/hub.ts'
import { listen } from './hub/listen.ts'
import { hubRoute } from './hub/route.ts'
import { startJobs } from './jobs/run.ts'
import { startSchedule } from './operators/schedule.ts'
import { liveTokens } from './session/live-sessions.ts'
import { requestState } from './http/request-state.ts'
import { resealAll } from './session/reseal.ts'
import { mailWaitingLeads } from './plans/lead-mail.ts'
import { mailer } from './staff/people/mail.ts'
import { engineMetrics } from './operators/metrics.ts'
import { startPageDays } from './reports/page-days.ts'
import { readyMember, readyShop, type Samples, samplesOf } from './platform/index.ts'
import { newRequestId } from '../http/request-log.ts'
import { frameworkProblem, problems, withoutValues } from './http/problems.ts'
import { productTitles } from './products/product-titles.ts'
import { startRollup } from './reports/rollup.ts'
import { startPublisher } from './script/script-publisher.ts'
import { inviteFirst, publicMember } from './staff/people/staff-first.ts'
import { commonHeaders } from './http/security.ts'
import { staffSessions } from './staff/people/staff-sessions.ts'
import { testJobs } from './tests/test-jobs.ts'
import { writeAnswers } from './http/route-answers.ts'
import { storableAddresses, validate } from './http/validation.ts'

export type Engine = {
  app: FastifyInstance
  db: Db
  /** Updates every report at once, instead of within two seconds. */
  rollUp: () => Promise<void>
  /**
   * Counts the full days of visits that Lift Assist makes proposals from, instead of within a
   * minute.
   */
  countPages: () => Promise<void>
  /** Sends the due exposures to Google Analytics at once, instead of within 15 seconds. */
  sendExposures: () => Promise<void>
  /** Runs every due job at once, instead of within a second. Settles when none is left. */
  runJobs: () => Promise<void>
  /** Writes the API's request counts to the database at once, instead of within ten seconds. */
  writeMeter: () => Promise<void>
  /** The metrics for operators, in Prometheus's text format. */
  metrics: () => Promise<string>
  /** What the product's first start fills in. */
  samples: Samples & {
    /**
     * The email and password of the member of staff of a fresh clone, who is created if missing.
     * Null when there is no such member to announce.
     */
    staff: () => Promise<{ email: string; password: string } | null>
  }
  /** Finishes running requests, stops the jobs and closes the database. */
  close: () => Promise<void>
}

/**
 * Milliseconds that background work may take to end. The database is closed after that in any case.
 */
const endsWithin = 6_000

/**
 * Builds the engine: migrated and ready to listen. Throws `LockHeld` when another process uses the
 * data folder.
 */
export async function buildEngine(options: EngineOptions): Promise<Engine> {
  const { config, clock = () => new Date(), runtimeFile, byItself = true, isPastMade } = options
  const app = Fastify({
    ...(options.log ? { loggerInstance: withoutValues(options.log) } : { logger: false }),
    frameworkErrors: frameworkProblem(config),
    genReqId: newRequestId,
    logController: new LogController({ requestIdLogLabel: 'uuid', disableRequestLogging: true }),
    bodyLimit: 256 * 1024,
    ...timeoutOptions,
    trustProxy: config.TRUST_PROXY ?? false,
    routerOptions: { maxParamLength: 255 },
  })
  requestState(app)
  const log = app.log
  const db =
    options.db ??
    (await openDb({
      dataDir: config.DATA_DIR,
      databaseUrl: config.DATABASE_URL,
      sessionUrl: config.DATABASE_LISTEN_URL,
      onError: error => log.error({ err: error }, 'database connection lost'),
    }))
  let limits
  try {
    await whenItAnswers(() => migrate(db), log)
    limits = await openLimits(db, config, log)
  } catch (error) {
    if (!options.db) await db.close()
    throw error
  }
  const connected = connectPlatforms({ ...options, db, clock, log })
  const { platform, platforms } = connected
  const scriptTokens = collectTokens(keysFor(keyRing(config), 'collecting'))
  const publisher = startPublisher({
    db,
    clock,
    platform,
    publicOrigin: config.PUBLIC_ORIGIN,
    tokens: scriptTokens,
    log,
    runtimeFile,
    ...(options.publishEvery && { every: options.publishEvery }),
  })
  const titles = productTitles({ db, platform, clock, log })
  const metrics = engineMetrics()
  // The engine does not know on which disk a passed-in database is.
  const disk = diskOf({
    folder: options.readDisk || (!options.db && db.pglite) ? config.DATA_DIR : null,
    reserve: config.DISK_RESERVE,
    ...(options.readDisk && { read: options.readDisk }),
  })
  const rollup = startRollup({ db, clock, log, byItself, onSummed: titles.learn })
  const jobs = startJobs({
    db,
    clock,
    log,
    isAlone: db.dialect === 'pglite' && !options.db,
    onEnd: metrics.jobEnded,
  })
  const context: EngineContext = {
    db,
    clock,
    ...connected,
    readyShop,
    config,
    publisher,
    jobs,
    journal: startJournal({ db, platform, clock, jobs }),
    limits,
    log,
  }
  testJobs(context)
  const google = googleAnalytics(context, byItself)
  const pageDays = startPageDays({ db, clock, platform, log, byItself })
  const answers = await keepAnswers(db)
  const signed = authTokens(keyRing(config), clock, platforms.nameFor)
  const tokens = liveTokens(signed, db, answers.state)
  const hub = startHub({ db, log })
  const listening = await listen({
    db,
    url: config.DATABASE_LISTEN_URL,
    log,
    onAnnouncement: hub.send,
    onWake: jobs.wake,
    onGap: milliseconds => hub.catchUp(new Date(clock().getTime() - milliseconds)),
  })
  const addresses = watchAddresses(() =>
    log.warn(
      'the first 100 beacons all came from one address: behind a proxy, set TRUST_PROXY and CLIENT_IP_HEADER to tell shoppers apart',
    ),
  )
  metrics.watch({
    db,
    clock,
    hubConnections: hub.count,
    isHubHearing: listening.isHearing,
    isOneAddress: addresses.isOne,
    rollup: rollup.state,
    disk,
  })
  const mail = mailer(config, log),
    staff = staffSessions(db, clock)
  let isStopping = false

  const { CLIENT_IP_HEADER: addressHeader } = config
  if (addressHeader)
    app.addHook('onRequest', async ({ raw }) => readEdgeAddress(raw.headers, addressHeader))
  app.setValidatorCompiler(validate)
  app.setSerializerCompiler(writeAnswers)
  const meter = apiMeter({ db, log, byItself })
  app.addHook('onResponse', async (request, reply) => {
    const answer = answeredOf(request, reply)
    meter.answered(answer)
    options.onAnswered?.(answer)
  })
  commonHeaders(app, config)
  problems(app)
  storableAddresses(app)
  apiPage(app, { config, version, platforms: platforms.all.map(({ name }) => name) })
  await hubRoute(app, {
    hub,
    tokens,
    origins: [config.PUBLIC_ORIGIN, config.API_PUBLIC_ORIGIN].filter(
      origin => origin !== undefined,
    ),
  })
  health(app, {
    db,
    isHubReady: () => listening.isHearing() && !hub.isClosing(),
    isStopping: () => isStopping,
    storingTrouble: () => disk.trouble() ?? metrics.collectorTrouble(),
  })
  shopRoutes(app, {
    context,
    tokens,
    scriptTokens,
    meter: metrics.collector,
    addresses,
    disk,
    runtimeFile,
  })
  app.register(async api =>
    apiCalls(api, {
      app,
      context,
      tokens,
      answers,
      quotas: { ...quotas, ...options.quotas },
      google,
      staff,
      mail,
      hub,
      addresses,
      disk,
      backups: options.backups ?? (() => null),
    }),
  )
  // From here on the engine reports that it stops and accepts nothing new. Running requests may
  // finish.
  app.addHook('preClose', async () => {
    isStopping = true
  })
  await app.ready()
  await whenItAnswers(() => inviteFirst(context, mail), log)
  await whenItAnswers(() => mailWaitingLeads(context, mail), log)
  await whenItAnswers(() => resealAll(db, keyRing(config)), log)
  await jobs.start()
  const schedule = byItself
    ? startSchedule({ db, clock, log, retentionDays: config.EVENT_RETENTION_DAYS, isPastMade })
    : null

  return {
    app,
    db,
    rollUp: async () => {
      await rollup.runNow()
      await titles.settled()
    },
    countPages: () => pageDays.runNow(),
    runJobs: () => jobs.runNow(),
    writeMeter: meter.write,
    metrics: metrics.text,
    sendExposures: () => google.sender.runNow(),
    samples: { ...samplesOf(context), staff: () => publicMember(context, readyMember) },
    close: async () => {
      isStopping = true
      await app.close()
      await meter.stop()
      const ends = [
        mail.close(),
        schedule?.stop(),
        jobs.stop(),
        publisher.stop(),
        rollup.stop(),
        pageDays.stop(),
        google.close(),
      ]
      await within(
        endsWithin,
        Promise.all(ends)
          .then(() => titles.settled())
          .then(() => platforms.close()),
        () => log.warn('closing while background work still runs'),
      )
      await Promise.all([answers.close(), listening.stop(), limits.close()])
      if (!options.db) await db.close()
    },
  }
}
