import { authTokens } from '../../../engine/session/auth-tokens.ts'
import { startEngine } from './engine.ts'
import { seedTest } from './seeds.ts'
import { firstShop, sessionSecret } from './small-shop.ts'
import { beacon, collect, deliverAtLast, event, noon, order, visitorIn } from './traffic.ts'

export const minute = 60_000,
  hour = 60 * minute,
  day = 24 * hour

/**
 * An engine on 10 November with a running test, and functions for what shoppers and the merchant
 * do.
 */
export async function shopWithTest(
  t: { teardown: (end: () => Promise<void>) => void },
  over: Parameters<typeof seedTest>[2] = {},
) {
  const { engine, db, call, token: firstToken, now, shop, close } = await startEngine()
  t.teardown(close)
  const { id: storeId } = await call('storeInfo', {}, firstToken)
  now.at = new Date(noon)
  const testId = await seedTest(db, storeId, over)
  const token = async () =>
    (await authTokens([sessionSecret], () => now.at).access({ storeId, shop: firstShop }, now.at))
      .token
  const arms: Record<string, 0 | 1> = {}
  const idOf = (name: string) => visitorIn(testId, arms[name] ?? 0, name)
  /**
   * Sends one visitor's events. `at` has their times in milliseconds before noon. `met` is the arm
   * that the script reports, if it is not the visitor's own.
   */
  const visit = async (
    name: string,
    arm: 0 | 1,
    at: { exposure?: number; click?: number; cart?: number; view?: number },
    { met = arm, agent }: { met?: 0 | 1; agent?: string } = {},
  ) => {
    arms[name] = arm
    const events = Object.entries(at).map(([kind, ago]) =>
      event(
        kind as 'exposure',
        noon - ago,
        kind === 'cart' || kind === 'view' ? undefined : [testId],
      ),
    )
    const { statusCode } = await collect(
      engine.app,
      beacon(idOf(name), { [testId]: [met, 7] }, events, { sent: now.at.getTime() }),
      { origin: shop.origin, ...(agent && { 'user-agent': agent }) },
    )
    if (statusCode !== 204) throw new Error(`The collector answered ${statusCode}.`)
  }
  const buy = async (
    id: string,
    name: string | null,
    ago: number,
    price: string,
    over: Parameters<typeof order>[4] = {},
  ) => {
    const { statusCode } = await deliverAtLast(
      engine.app,
      order(id, name === null ? null : idOf(name), noon - ago, price, over),
    )
    if (statusCode !== 200) throw new Error(`The webhook answered ${statusCode}.`)
  }
  const report = async () => {
    await engine.rollUp()
    return call('test', { params: { id: testId } }, await token())
  }
  const daily = async (metric: string) =>
    call('dailyBy', { params: { id: testId, metric } }, await token())
  return { engine, shop, db, call, token, now, storeId, testId, visit, buy, report, daily }
}
