import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Quotas } from '../domain/quota.ts'
import { abTests } from './ab-tests.ts'
import type { AddressWatch } from './address-watch.ts'
import { admin } from './admin.ts'
import type { Answers } from './answers.ts'
import { audiencePreview } from './audience-preview.ts'
import { audiences } from './audiences.ts'
import { auth } from './auth.ts'
import { brandStyles } from './brand-styles.ts'
import { breakdowns } from './breakdowns.ts'
import type { EngineConfig } from './config.ts'
import type { EngineContext } from './context.ts'
import { discounts } from './discounts.ts'
import type { BackupState } from './backup-schedule.ts'
import type { Disk } from './db/disk.ts'
import { draftCopies } from './draft-copies.ts'
import { draftTargets } from './draft-targets.ts'
import { draftPlan } from './draft-plan.ts'
import { drafts } from './drafts.ts'
import { exports } from './exports.ts'
import { figuresRevision } from './figures-revision.ts'
import type { googleAnalytics } from './google-parts.ts'
import { launchChecks } from './launch-checks.ts'
import { leads } from './leads.ts'
import type { Hub } from './hub/hub.ts'
import { storeJobs } from './jobs/store-jobs.ts'
import { upkeep } from './jobs/upkeep.ts'
import { liftAssists } from './lift-assists.ts'
import type { LiveTokens } from './live-sessions.ts'
import { limitable } from './limits.ts'
import type { Mailer } from './mail.ts'
import { networkCalls } from './network-calls.ts'
import { onboarding } from './onboarding.ts'
import { pictures } from './pictures.ts'
import { plans } from './plans.ts'
import { previews } from './previews.ts'
import { requestLog } from './problems.ts'
import { products } from './product-calls.ts'
import { reportProducts } from './report-products.ts'
import { reports } from './reports.ts'
import { jsonOrNothing, routesOf, type Serve, staffRoutesOf } from './routes.ts'
import { choicePictures } from './choice-pictures.ts'
import { screenshots } from './screenshots.ts'
import { shopBrowser } from './shop-browser.ts'
import { shopperCalls } from './shopper-calls.ts'
import type { StaffSessions } from './staff-sessions.ts'
import { staffSignIn } from './staff-sign-in.ts'
import { staffUsers } from './staff-users.ts'
import { sessionsOf, stores } from './stores.ts'
import { storeErasure } from './store-erasure.ts'
import { subscribe } from './subscribe.ts'
import { templateContents } from './template-contents.ts'
import { templateResources } from './template-resources.ts'
import { templates } from './templates.ts'
import { testLists } from './test-lists.ts'
import { testOrders } from './test-orders.ts'
import { themes } from './themes.ts'
import { uninstall } from './uninstall.ts'

/** What the calls are served with, besides what every plugin is handed. */
export type CallParts = {
  app: FastifyInstance
  context: EngineContext
  tokens: LiveTokens
  answers: Answers
  quotas: Quotas
  google: ReturnType<typeof googleAnalytics>
  staff: StaffSessions
  mail: Mailer
  hub: Hub
  addresses: AddressWatch
  disk: Disk
  backups: () => BackupState | null
}

/** Every call of the API: those of merchants, then those of staff. */
export async function apiCalls(
  api: FastifyInstance,
  {
    app,
    context,
    tokens,
    answers,
    quotas,
    google,
    staff,
    mail,
    hub,
    addresses,
    disk,
    backups,
  }: CallParts,
): Promise<void> {
  const { config, platform } = context
  // Bodies of the API are JSON; anything else is a 415.
  api.removeContentTypeParser('text/plain')
  jsonOrNothing(api)
  requestLog(api)
  await limitable(api)
  const serve: Serve = routesOf(api, tokens, answers, config.PLATFORM, quotas)
  const links = previews(platform, tokens)
  about(serve, config)
  google.serve(serve)
  auth(serve, context, tokens)
  stores(serve, context)
  sessionsOf(serve, context)
  onboarding(serve, context)
  networkCalls(serve, context)
  plans(serve, context)
  subscribe(serve, context, discounts(serve, context))
  leads(serve, context)
  uninstall(serve, context)
  drafts(serve, context, links)
  draftPlan(serve, context)
  draftTargets(serve, context, links)
  draftCopies(serve, context, links)
  templateContents(serve, context)
  pictures(serve, context)
  templates(serve, context)
  templateResources(serve, context)
  themes(serve, context)
  abTests(serve, context, links)
  testLists(serve, context)
  figuresRevision(serve, context)
  reports(serve, context)
  liftAssists(serve, context)
  const browser = shopBrowser(context, async path => {
    const { statusCode, headers, rawPayload } = await app.inject({ url: path })
    return statusCode === 200 ? { type: String(headers['content-type']), body: rawPayload } : null
  })
  screenshots(serve, context, links, browser)
  choicePictures(serve, context, browser)
  brandStyles(serve, context, browser)
  launchChecks(serve, context, links, browser)
  breakdowns(serve, context)
  reportProducts(serve, context)
  testOrders(serve, context)
  exports(serve, context)
  products(serve, context)
  audiences(serve, context)
  audiencePreview(serve, context)
  storeJobs(serve, context)
  upkeep(context)
  storeErasure(context)
  const serveStaff = staffRoutesOf(api, staff.read, config.PLATFORM)
  staffSignIn(serveStaff, context, staff, mail)
  staffUsers(serveStaff, context, mail)
  shopperCalls(serveStaff, context)
  admin(serveStaff, context, {
    version,
    startedAt: new Date(),
    hubConnections: hub.count,
    isOneAddress: addresses.isOne,
    disk,
    backups,
  })
}

/** This build's, as package.json has it. */
export const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }

function about(serve: Serve, config: EngineConfig): void {
  serve('about', async () => ({
    google: { analytics: { gtm: config.GTM_ID ?? null } },
    segment: { writeKey: config.SEGMENT_WRITE_KEY ?? null },
    version,
  }))
}
