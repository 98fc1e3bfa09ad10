import { readRuntime } from '../../../engine/script/script-body.ts'
import { authTokens } from '../../../engine/session/auth-tokens.ts'
import { seedScript, seedStore, seedTest } from '../../engine/support/seeds.ts'
import { firstShop, sessionSecret } from '../../engine/support/small-shop.ts'
import type { Fleet } from '../fleet/processes.ts'

/** A store with a running test, and what its shoppers did that was acknowledged. */
export type DayStore = {
  storeId: string
  shop: string
  testId: string
  events: number
  arms: [ArmDay, ArmDay]
}
/** As the report must say it. `revenue` in cents. */
export type ArmDay = { exposed: number; orders: number; revenue: number }

const tokens = authTokens([sessionSecret], () => new Date())
/** An access token for the owner of this store, as a sign-in gives it. Lasts ten minutes. */
export const tokenFor = async ({ storeId, shop }: DayStore): Promise<string> =>
  (await tokens.access({ storeId, shop }, new Date())).token

/**
 * Creates stores whose scripts are copies of the published script of the demo shop. `testId`: the
 * test in that script.
 */
export async function openStores(fleet: Fleet, testId: string, count: number): Promise<DayStore[]> {
  const { db, app, shopOrigin } = fleet
  const script = await fetch(`${app}/s/${firstShop}.js`).then(answer => answer.text())
  const { hash } = await readRuntime(),
    now = new Date()
  const stores: DayStore[] = []
  for (let n = 0; n < count; n++) {
    const shop = `day-${n}.demo-shop.test`
    const storeId = await seedStore(db, { shop, domain: shop, origin: shopOrigin, created_at: now })
    const own = await seedTest(db, storeId, { start_at: new Date(now.getTime() - 3_600_000) })
    const body = script.replaceAll(firstShop, shop).replaceAll(testId, own)
    await seedScript(db, storeId, body, `${hash} ${app}`)
    const arm = () => ({ exposed: 0, orders: 0, revenue: 0 })
    stores.push({ storeId, shop, testId: own, events: 0, arms: [arm(), arm()] })
  }
  return stores
}

/** Picks stores as visitors do: the nth has 1/n of the shoppers of the first (Zipf's law). */
export function storePicker(stores: readonly DayStore[]): (chance: number) => DayStore {
  let sum = 0
  const upTo = stores.map((_, i) => (sum += 1 / (i + 1)))
  return chance => stores[upTo.findIndex(limit => limit >= chance * sum)] ?? stores[0]!
}
