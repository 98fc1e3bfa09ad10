import type { Updateable } from 'kysely'
import { buildApp } from '../../../server/app.ts'
import { appConfig } from '../../../server/config.ts'
import type { StoresTable } from '../../../engine/db/schema.ts'
import { startWithShop } from '../../engine/support/with-shop.ts'
import { browserOf } from './merchant.ts'

/**
 * Starts the app with a real engine and the real demo shop. The store has no subscription yet, so
 * it can choose a plan.
 */
export async function startShopMerchant(
  env: Record<string, string> = {},
  engineEnv: Record<string, string> = {},
) {
  const stage = await startWithShop({}, engineEnv, { startsSubscribed: false })
  /** Moves the clock 11 seconds: the app caches the store for some seconds. */
  const later = () => {
    stage.now.at = new Date(stage.now.at.getTime() + 11_000)
  }
  /**
   * Starts another app with these settings for the same engine. Returns a browser that is signed in
   * to it.
   */
  const appWith = async (settings: Record<string, string>) => {
    const config = appConfig({
      APP_ORIGIN: 'http://localhost:3000',
      ...settings,
    })
    const app = await buildApp({
      config,
      upstreamOrigin: stage.engineOrigin,
      clock: () => stage.now.at,
    })
    const browser = browserOf(app)
    /** Signs in at a later time, so that the browser gets a new session. */
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
    /** Presses a button in the shop's back office. */
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
