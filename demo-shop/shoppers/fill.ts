import type { Capabilities } from '../../domain/platform/capabilities.ts'
import { kindLack, lackOf } from '../../domain/platform/kind-needs.ts'
import { templateFile } from '../../domain/themes/template.ts'
import { day } from '../../domain/time-units.ts'
import { writeDraft } from './demo-drafts.ts'
import { type DemoDraft, demoDrafts, type DemoTest, scheduledTest } from './demo-test-drafts.ts'
import { demoPhases } from './demo-tests.ts'
import { asMerchant, type MerchantCall, type MerchantOptions } from './merchant.ts'
import { experimentFile, pastExperiments } from './past-experiments.ts'
import { runShoppers } from './run.ts'
import { openSender } from './sender.ts'
import { liveTheme, type ShopFiles, shopFiles } from './shop-files.ts'
import { runOffice } from './staff-acts.ts'
import { asStaff, type StaffCall } from './staff.ts'
import { type OtherStore, visitOtherStores } from './other-stores.ts'
import { subscribeEarlier } from './subscribers.ts'

export type FillOptions = MerchantOptions & {
  shopOrigin: string
  /** Sets the engine's clock; null for the real time. */
  setClock: (at: Date | null) => void
  /** Brings the engine's reports up to date. */
  rollUp: () => Promise<void>
  /** Runs the engine's due jobs, such as the checks of running tests. */
  runJobs: () => Promise<void>
  /**
   * The sign-in of a member of staff, who imports what is older than the app; null when there is
   * none.
   */
  staff: { email: string; password: string } | null
  /**
   * The further stores of the staff's panel: their visitors, and the function that adds the stores.
   */
  otherStores: readonly OtherStore[]
  seedStores: () => Promise<void>
  /** The merchant turns on our script in a theme, where the shop has a switch for it. */
  turnScriptOn: (themeId: string) => void
  /** Resolves when the shop has delivered every order. */
  delivered: () => Promise<void>
  onProgress: (done: number, total: number) => void
}

/**
 * Gives the demo shop a past. Its merchant launches and ends tests through the engine's own API
 * while the clock moves from a month ago to now, and shoppers come in between. Tests and drafts
 * that the shop cannot run are left out. Returns false, and does nothing, when the store has tests
 * already.
 */
export async function fillDemoShop({
  shopOrigin,
  setClock,
  rollUp,
  runJobs,
  staff,
  otherStores,
  seedStores,
  turnScriptOn,
  delivered,
  onProgress,
  ...merchant
}: FillOptions): Promise<boolean> {
  const phases = demoPhases(new Date())
  const total = phases.reduce((sum, phase) => sum + phase.visitors, 0)
  const launched = new Map<DemoTest, string>()
  const shop = shopFiles(shopOrigin, merchant)
  const sender = openSender({
    shopOrigin,
    collect: `${merchant.engineOrigin}/collect`,
    appSecret: merchant.appSecret,
    isPast: true,
    connections: 4,
    longestOutage: 120_000,
  })
  try {
    setClock(phases[0]!.from)
    const first = await asMerchant(merchant)
    const { counts } = await first('tests', { query: {} })
    if (Object.values(counts).some(count => count > 0)) return false
    const store = await first('storeCapabilities', {})
    if (store.scriptWay === 'switch') {
      turnScriptOn(await liveTheme(shop))
      await delivered()
    }
    await subscribeEarlier(sender, phases[0]!.from)
    let done = 0
    for (const { from, to, launch, end, deleteTemplate, visitors } of phases) {
      setClock(from)
      const call = await asMerchant(merchant)
      for (const test of end)
        await call('updateTest', { params: { id: launched.get(test)! }, body: { status: 'Ended' } })
      for (const test of launch)
        if (canRun(store, test)) launched.set(test, await launchTest(call, shop, test))
      const broken = deleteTemplate.flatMap(test => launched.get(test) ?? [])
      for (const id of broken) await removeTemplate(call, shop, id)
      if (broken.length > 0) {
        await delivered()
        await runJobs()
      }
      const entries = [...launched]
      const lift = Object.fromEntries(entries.map(([test, id]) => [id, test.lift]))
      await runShoppers(
        {
          shopOrigin,
          appSecret: merchant.appSecret,
          visitors,
          lift,
          loses: Object.fromEntries(entries.map(([test, id]) => [id, test.loses ?? 0])),
          seed: `demo ${done}`,
          span: { from, to },
          isEven: true,
          collect: `${merchant.engineOrigin}/collect`,
        },
        progress => onProgress(done + progress.done, total),
      )
      done += visitors
      // The shop renews subscriptions by its own clock, which shows the real time; each renewal is
      // dated when it fell due.
      if (to === phases.at(-1)!.to) await sender.renew()
      await delivered()
      setClock(to)
      await rollUp()
    }
    setClock(null)
    const call = await asMerchant(merchant)
    await prepareNext(call, shop, store)
    if (staff) {
      const office = await asStaff(merchant.engineOrigin, staff)
      await importPast(call, office)
      await runOffice(office)
      await seedStores()
      await visitOtherStores(sender, otherStores)
    }
    return true
  } finally {
    setClock(null)
    await sender.close()
  }
}

/** The variants of template tests are copies that we make. */
const canRun = (store: Capabilities, { draft, template }: DemoDraft): boolean =>
  !kindLack(draft.kind, store) && !(template && lackOf('ownCopies', store))

async function launchTest(call: MerchantCall, shop: ShopFiles, test: DemoTest): Promise<string> {
  const id = await writeDraft(call, shop, test)
  return (await call('launchDraft', { params: { id } })).testId
}

/**
 * Deletes a test's template in the shop's own theme editor, which does not warn that a test needs
 * it.
 */
async function removeTemplate(call: MerchantCall, shop: ShopFiles, testId: string): Promise<void> {
  const { variant } = await call('test', { params: { id: testId } })
  await shop.remove(await liveTheme(shop), templateFile(variant!.templateType!, variant!.suffix!))
}

/** What the merchant plans: a test that starts in a few days, and drafts. */
async function prepareNext(
  call: MerchantCall,
  shop: ShopFiles,
  store: Capabilities,
): Promise<void> {
  for (const draft of demoDrafts) if (canRun(store, draft)) await writeDraft(call, shop, draft)
  const id = await writeDraft(call, shop, scheduledTest)
  const launchAt = new Date(Date.now() + scheduledTest.startsInDays * day).toISOString()
  await call('scheduleDraft', { params: { id }, body: { launchAt } })
  await call('launchDraft', { params: { id } })
}

/**
 * Staff import what the shop measured with another tool before; its merchant describes what it was
 * about.
 */
async function importPast(call: MerchantCall, office: StaffCall): Promise<void> {
  const { id: storeId } = await call('storeInfo', {})
  for (const experiment of pastExperiments) {
    const csv = experimentFile(experiment, new Date())
    const { testId } = await office('importTest', {
      body: { storeId, fileName: 'past-experiments.csv', csv, ...experiment.options },
    })
    await call('updateTest', { params: { id: testId }, body: experiment.about })
  }
}
