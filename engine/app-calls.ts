import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Quotas } from '../domain/quota.ts'
import { abTests } from './tests/ab-tests.ts'
import type { AddressWatch } from './events/address-watch.ts'
import { admin } from './staff/admin.ts'
import type { Answers } from './http/answers.ts'
import { audiencePreview } from './audiences/audience-preview.ts'
import { audiences } from './audiences/audiences.ts'
import { auth } from './session/auth.ts'
import { downloadLinks } from './session/download-links.ts'
import { brandStyles } from './brand/brand-styles.ts'
import { breakdowns } from './reports/breakdowns.ts'
import type { EngineConfig } from './config.ts'
import type { EngineContext } from './context.ts'
import { discounts } from './plans/discounts.ts'
import type { BackupState } from './operators/backup-schedule.ts'
import type { Disk } from './db/disk.ts'
import { draftCopies } from './drafts/draft-copies.ts'
import { merchantCopies } from './drafts/merchant-copies.ts'
import { draftTargets } from './drafts/draft-targets.ts'
import { draftPlan } from './drafts/draft-sample-plan.ts'
import { draftUpdates } from './drafts/draft-update.ts'
import { drafts } from './drafts/drafts.ts'
import { exports } from './reports/exports.ts'
import { figuresRevision } from './reports/figures-revision.ts'
import type { googleAnalytics } from './google/google-parts.ts'
import { launchChecks } from './tests/launch/launch-checks.ts'
import { leadMail, leadMailing } from './plans/lead-mail.ts'
import { leads } from './plans/leads.ts'
import type { Hub } from './hub/hub.ts'
import { storeJobs } from './jobs/store-jobs.ts'
import { upkeep } from './operators/upkeep.ts'
import { liftAssists } from './lift-assist/lift-assists.ts'
import type { LiveTokens } from './session/live-sessions.ts'
import { limitable } from './http/limits.ts'
import type { Mailer } from './staff/people/mail.ts'
import { networkCalls } from './events/networks/network-calls.ts'
import { networkMove } from './events/networks/network-move-job.ts'
import { onboarding } from './stores/onboarding.ts'
import { pictures } from './drafts/pictures/pictures.ts'
import { plans } from './plans/plans.ts'
import { previews } from './drafts/previews.ts'
import { requestLog } from '../http/request-log.ts'
import { products } from './products/product-calls.ts'
import { reportProducts } from './reports/report-products.ts'
import { reports } from './reports/reports.ts'
import { jsonOrNothing, routesOf, type Serve, staffRoutesOf } from './http/routes.ts'
import { choicePictures } from './drafts/pictures/choice-pictures.ts'
import { screenshots } from './drafts/pictures/screenshots.ts'
import { shopBrowser } from './browser/shop-browser.ts'
import { shopperCalls } from './stores/shoppers/shopper-calls.ts'
import type { StaffSessions } from './staff/people/staff-sessions.ts'
import { staffSignIn } from './staff/people/staff-sign-in.ts'
import { staffUsers } from './staff/people/staff-users.ts'
import { storeAddresses } from './stores/store-addresses.ts'
import { sessionsOf, stores } from './stores/stores.ts'
import { storeErasure } from './stores/shoppers/store-erasure.ts'
import { subscribe } from './plans/subscribe.ts'
import { templateContents } from './themes/template-contents.ts'
import { templateResources } from './themes/template-resources.ts'
import { templates } from './themes/templates.ts'
import { testLists } from './tests/test-lists.ts'
import { testOrders } from './tests/test-orders.ts'
import { themes } from './themes/themes.ts'
import { uninstall } from './stores/uninstall.ts'

/** What the API calls need besides the EngineContext. */
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

/** Registers every call of the API: first the merchants' calls, then the staff's. */
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
  await limitable(api, context.limits)
  const serve: Serve = routesOf(api, tokens, answers, context.platforms, {
    ...quotas,
    limits: context.limits,
  })
  const links = previews(platform, tokens)
  about(serve, config)
  google.serve(serve)
  auth(serve, context, tokens)
  downloadLinks(serve, context, tokens)
  stores(serve, context)
  storeAddresses(serve, context)
  sessionsOf(serve, context)
  onboarding(serve, context)
  networkCalls(serve, context)
  plans(serve, context)
  subscribe(serve, context, discounts(serve, context))
  leads(serve, context, mail)
  leadMail(context, mail)
  uninstall(serve, context)
  drafts(serve, context, links)
  draftUpdates(serve, context, links)
  draftPlan(serve, context)
  draftTargets(serve, context, links)
  draftCopies(serve, context, links)
  merchantCopies(serve, context)
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
  context.jobs.on('networkMove', networkMove(context))
  storeErasure(context)
  const serveStaff = staffRoutesOf(api, staff.read, context.platforms)
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
    mailing: leadMailing(config, mail),
  })
}

/** The version of this build, from package.json. */
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
