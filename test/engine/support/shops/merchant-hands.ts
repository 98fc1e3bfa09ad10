import type { DemoShop } from '../../../../demo-shop/app.ts'
import type { Platform } from '../../../../engine/platform/adapter.ts'
import { shopperOf } from '../../../demo-shop/support/demo-shop.ts'

export type MerchantHands = Pick<Platform, 'writeThemeFiles' | 'deleteThemeFiles' | 'publishTheme'>

/**
 * What the merchant does with themes in the shop's back office, with the calls of an adapter: it is
 * possible in every shop, whatever the app may do there. Several files are written one after the
 * other. Throws when the back office refuses.
 */
export function merchantHands(shop: DemoShop): MerchantHands {
  const { form } = shopperOf(shop)
  const send = async (path: string, fields: Record<string, string>): Promise<void> => {
    const { statusCode, body } = await form(path, fields)
    if (statusCode !== 303) throw new Error(`${path} answered ${statusCode}: ${body}`)
  }
  const at = (themeId: string) => `/admin/themes/${encodeURIComponent(themeId)}`
  return {
    writeThemeFiles: async (_, themeId, files) => {
      for (const { name, body } of files) await send(`${at(themeId)}/file`, { name, body })
    },
    deleteThemeFiles: async (_, themeId, names) => {
      for (const name of names) await send(`${at(themeId)}/file`, { name, delete: '' })
    },
    publishTheme: (_, themeId) => send(`${at(themeId)}/publish`, {}),
  }
}
