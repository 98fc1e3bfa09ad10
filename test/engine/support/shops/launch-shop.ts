import type { DraftCreate } from '../../../../domain/drafts/draft.ts'
import type { LaunchChecks } from '../../../../domain/tests/launch-check.ts'
import { startWithShop } from '../with-shop.ts'
import type { Refused } from '../engine.ts'

/** Changes of one element on the pages of this pattern. */
export const changeOf = (pattern: string | string[], selector = '.product-form__submit') => [
  {
    id: '',
    urlPatterns: [pattern].flat(),
    actions: [{ selector, kind: 'text' as const, value: 'Take it', name: '' }],
  },
]

export const fieldsOf = (error: Refused) => error.problem.fields?.map(({ field }) => field)

/**
 * A merchant with the real demo shop and no browser, and functions that make a draft, check it and
 * launch it.
 */
export async function startLaunchShop(t: { teardown: (end: () => Promise<void>) => void }) {
  const own = await startWithShop({}, { CHROMIUM_PATH: 'off' })
  const { call } = own
  t.teardown(own.close)
  const { id: store } = await call('storeInfo', {})
  async function draft(
    over: DraftCreate,
    pattern: string | string[] = '/products/*',
  ): Promise<string> {
    const { id, hypotheses } = await call('createDraft', { body: { title: 'A test', ...over } })
    if (over.kind === 'PageElement')
      await call('setDomSelectors', {
        params: { id: hypotheses[1]!.id },
        body: { domSelectors: changeOf(pattern) },
      })
    return id
  }
  const checks = (id: string): Promise<LaunchChecks> => call('draftChecks', { params: { id } })
  const line = async (id: string, name: string) =>
    (await checks(id)).checks.find(check => check.name === name)
  const launch = (id: string) => call('launchDraft', { params: { id } })
  const endAll = () => call('endAllTests', { body: { priceTestsOnly: false } })
  return { ...own, store, draft, checks, line, launch, endAll }
}
