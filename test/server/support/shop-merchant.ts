import type { Updateable } from 'kysely'
import { buildApp } from '../../../server/app.ts'
import { appConfig } from '../../../server/config.ts'
import type { StoresTable } from '../../../engine/db/schema.ts'
import { startWithShop } from '../../engine/support/with-shop.ts'
import { browserOf } from './merchant.ts'

/** The app before a real engine and the real demo shop, which bills nothing yet: plans can be taken out. */
export async function startShopMerchant(env: Record<string, string> = {}) {
  const stage = await startWithShop({}, {}, { startsSubscribed: false })
  /** What the app keeps of a store for some seconds is of before. */
  const later = () => {
    stage.now.at = new Date(stage.now.at.getTime() + 11_000)
  }
  /** An app with settings of its own before the same engine, and a browser that is signed in to it. */
  const appWith = async (settings: Record<string, string>) => {
    const config = appConfig({
      APP_ORIGIN: 'http://localhost:3000',
      DEMO_SHOP_ORIGIN: stage.shopOrigin,
      ...settings,
    })
    const app = await buildApp({
      config,
      upstreamOrigin: stage.engineOrigin,
      clock: () => stage.now.at,
    })
    const browser = browserOf(app)
    /** At a later moment, and so with a session of its own. */
    const signIn = async () => {
      later()
      return browser.get(`/?id_token=${await stage.idToken()}`)
    }
    await signIn()
    return { ...browser, signIn, close: app.close }
  }
  const { id: storeId } = await stage.call('storeInfo', {})
  const app = await appWith(env)
  return {
    ...stage,
    ...app,
    storeId,
    later,
    appWith,
    /** Puts the store into a state. */
    put: async (state: Updateable<StoresTable>) => {
      await stage.db.kysely
        .updateTable('stores')
        .set(state)
        .where('store_id', '=', storeId)
        .execute()
      later()
    },
    /** Presses a button of the shop's back office. */
    press: async (path: string) => {
      const response = await stage.shop.app.inject({ method: 'POST', url: path })
      await stage.shop.delivered()
      later()
      return response
    },
    close: async () => {
      await app.close()
      await stage.close()
    },
  }
}

/** A store that has never had a plan. */
export const newStore = {
  onboarded: false,
  onboarding_started_at: null,
  has_subscribed: false,
  plan_id: null,
  pending_plan: null,
  subscription_id: null,
  subscription_status: null,
  trial: false,
  trial_end: null,
  current_subscription_end: null,
  next_bill: null,
  usage_reset: null,
} as const
