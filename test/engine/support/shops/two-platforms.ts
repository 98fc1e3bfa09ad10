import { demoPlatform } from '../../../../engine/platform/demo/demo.ts'
import { poorPlatform, poorToken } from '../poor-platform.ts'
import { appKey, appSecret } from '../small-shop.ts'
import { startWithShop, type WithShop } from '../with-shop.ts'

export type TwoPlatforms = WithShop & {
  /** A token of the merchant of the poor platform's shop. */
  poor: string
}

/** One engine with a shop on each of two platforms, and both merchants signed in. */
export async function startTwoPlatforms(env: Record<string, string> = {}): Promise<TwoPlatforms> {
  const shop = await startWithShop(
    {
      morePlatforms: ({ DEMO_SHOP_ORIGIN: shopOrigin }) => [
        poorPlatform(demoPlatform({ appKey, appSecret, shopOrigin })),
      ],
    },
    env,
  )
  const { token } = await shop.call('auth', { body: { idToken: await poorToken() } })
  return { ...shop, poor: token }
}
