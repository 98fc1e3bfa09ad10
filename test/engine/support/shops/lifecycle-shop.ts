import type { DemoShopOptions } from '../../../../demo-shop/options.ts'
import { startWithShop } from '../with-shop.ts'

/** A merchant with the real demo shop, and functions for calls that tests of this kind repeat. */
export async function startLifecycleShop(
  t: { teardown: (end: () => Promise<void>) => void },
  options: Partial<DemoShopOptions> = {},
) {
  const own = await startWithShop({}, {}, options)
  const { call } = own
  t.teardown(own.close)
  const { id: store, themeId } = await call('storeInfo', {})
  const test = (id: string) => call('test', { params: { id } })
  const put = (id: string, status: 'Active' | 'Paused' | 'Ended') =>
    call('updateTest', { params: { id }, body: { status } })
  const statusOf = async (id: string) => (await test(id)).status
  const alone = async () => {
    await call('endAllTests', { body: { priceTestsOnly: false } })
  }
  return { ...own, store, themeId: themeId!, test, put, statusOf, alone }
}
