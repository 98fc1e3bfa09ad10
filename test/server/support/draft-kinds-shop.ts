import t from 'tap'
import { builtInAudiences } from '../../../domain/audiences/audience-match.ts'
import type { TestKind } from '../../../domain/tests/test-kind.ts'
import { startShopMerchant } from './shop-merchant.ts'

export const { get, post, call, put, platform, shop, db, storeId, now, close } =
  await startShopMerchant()
t.teardown(close)
export const flags = [
  'PriceTesting',
  'DomTesting',
  'ApiTesting',
  'UrlRedirectTests',
  'CustomAudiences',
]
/** Puts the store on the Core plan with these feature flags. */
export const open = (features: string[]) =>
  put({
    feature_flags: JSON.stringify(features) as never,
    plan_id: 'core-100k-monthly',
    onboarded: true,
    has_subscribed: true,
    subscription_status: 'Active',
    subscription_id: 'sub-1',
    time_zone: 'Europe/Berlin',
  })
await open(flags)
export const [everyone, , , phones] = builtInAudiences.map(each => each.id) as [
  string,
  string,
  string,
  string,
]
/** The address of a draft’s step. */
export const edit = (id: string, step = 'goal', more = '') =>
  `/tests/draft/edit/${id}?step=${step}${more}`
/** The stored draft. */
export const stored = (id: string) => call('draft', { params: { id } })
/** Creates a draft of this kind. Returns its id. */
export const newDraft = async (kind: TestKind) =>
  (await post('/tests/draft/edit', { kind })).headers.location!.split('/').at(-1)!
/**
 * Presses a button of the step. Returns the page to which it leads, or the page with the refusal.
 */
export async function act(
  id: string,
  step: string,
  value: string,
  fields: Record<string, string> = {},
) {
  const answer = await post(edit(id, step), { act: value, ...fields })
  return answer.statusCode === 303 ? get(answer.headers.location!) : answer
}
export const themeFolders = [
  'templates/',
  'config/',
  'sections/',
  'layout/',
  'snippets/',
  'blocks/',
  'assets/',
  'locales/',
]
/** Whether the page names a problem at the field. */
export const at = (body: string, field: string) => new RegExp(`id="${field}-problem"`).test(body)

/** Whether a page of the editor has the button that swaps control and variant. */
export function swapOf(body: string): 'none' | 'enabled' | 'disabled' {
  const button = /<button[^>]* value="\w+\.swap:"[^>]*>/.exec(body)?.[0]
  return !button ? 'none' : / disabled/.test(button) ? 'disabled' : 'enabled'
}
