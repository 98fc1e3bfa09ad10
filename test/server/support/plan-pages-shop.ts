import t from 'tap'
import { textOf } from './merchant.ts'
import { startShopMerchant } from './shop-merchant.ts'

const scheduler = 'https://meet.example.test/book?team=plans'
export const embed = 'https://embed.example.test/meet.js'
export const merchant = await startShopMerchant({
  SCHEDULER_URL: scheduler,
  SCHEDULER_SCRIPT_URL: embed,
  SUPPORT_EMAIL: 'help@twinshelf.example',
})
export const { db, shop, shopOrigin, storeId, get, post, put, press, signIn, later, close } =
  merchant
t.teardown(close)
export const select = '/overlay/selectplan',
  lockout = '/overlay/noplan',
  billing = '/settings/billing',
  all = '/overlay/select-secret-all-plans'
export const framed = { headers: { 'sec-fetch-dest': 'iframe' } },
  top = { headers: { 'sec-fetch-dest': 'document' } }
/** The texts of a page's plan cards, each "title price … button …". */
export const cardsOf = (html: string) =>
  [...html.matchAll(/<article[\s\S]*?<\/article>/g)].map(([card]) => textOf(card).trim())
/** The requested subscriptions that are not approved, the newest first. */
export const asked = () =>
  db.kysely
    .selectFrom('subscriptions')
    .selectAll()
    .where('status', '=', 'Pending')
    .orderBy('created_at', 'desc')
    .execute()
/** Adds a discount code. */
const code = (over: {
  code: string
  value_type: number
  value: number
  plan_id?: string
  expires_at?: Date
}) =>
  db.kysely
    .insertInto('discount_codes')
    .values({
      max_stores: null,
      plan_id: null,
      expires_at: null,
      created_at: new Date(),
      ...over,
    } as never)
    .execute()
await code({ code: 'KILN20', value_type: 0, value: 20, plan_id: 'advanced-100k-annual' })
await code({ code: 'ALL50', value_type: 1, value: 50 })
await code({ code: 'FREE', value_type: 0, value: 100 })
await code({ code: 'PAST', value_type: 0, value: 50, expires_at: new Date(0) })
