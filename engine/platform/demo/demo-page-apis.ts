import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { Platform } from '../adapter.ts'
import { checked, type DemoAdmin } from './demo-admin.ts'

const check = Compile(
  Type.Object({ part: Type.String(), privacy: Type.Boolean(), cart: Type.Boolean() }),
)

/** The privacy API and cart events of the demo shop, where its merchant has switched them on. */
export const demoPageApis = (admin: DemoAdmin): Pick<Platform, 'pageApis'> => ({
  pageApis: async () => {
    const { part, privacy, cart } = checked(check, await admin.get('/admin/api/page_apis.json'))
    if (!privacy && !cart) return null
    return {
      part,
      ...(privacy && {
        privacy: {
          allowed: 'shopPage.privacy.analyticsAllowed',
          event: 'shop:privacy',
          stored: { cookie: 'shop_consent', yes: 'yes', no: 'no' },
        },
      }),
      ...(cart && { cart: { event: 'shop:cart:add', product: 'productId' } }),
    }
  },
})
