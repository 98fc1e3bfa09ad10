import { closedMessage } from '../../../domain/access.ts'
import { audienceCapability } from '../../../domain/audiences/audience.ts'
import { good, type LaunchCheck, launchCheck, namesOf } from '../../../domain/tests/launch-check.ts'
import { isSamePage } from '../../../domain/tests/redirect-url.ts'
import { kindAvailable, kindCapability } from '../../../domain/tests/test-kind.ts'
import { access } from '../../plans/access.ts'
import { audiencesById, previewOf } from '../../audiences/audience-preview.ts'
import type { EngineContext } from '../../context.ts'
import type { DraftRow } from '../../drafts/draft-rows.ts'
import type { Ready } from './launch-ready.ts'
import { limitTrouble, subscriptionTrouble } from '../test-checks.ts'

/**
 * Checks that the store's plan includes this test and its audience, and that there is a
 * subscription.
 */
export async function planCheck(context: EngineContext, draft: DraftRow): Promise<LaunchCheck> {
  const capability = kindCapability[draft.kind],
    ofAudience = audienceCapability(draft.audience_ids),
    { can } = await access(context, draft.store_id)
  if (capability && !can(capability))
    return launchCheck('plan', 'bad', closedMessage(capability), {
      remedy: 'Choose a plan that includes it, or create another kind of test.',
      capability,
    })
  if (ofAudience && !can(ofAudience))
    return launchCheck('plan', 'bad', closedMessage(ofAudience), {
      remedy: 'Choose a plan that includes it, or remove your own audiences from this test.',
      field: 'audienceIds',
      capability: ofAudience,
    })
  const trouble = await subscriptionTrouble(context.db, draft.store_id)
  if (trouble)
    return launchCheck('plan', 'bad', 'There is no active subscription.', {
      remedy: 'Choose a plan first, then launch the test.',
    })
  return good('plan', kindAvailable(draft.kind))
}

/**
 * Checks that visitors are left in this billing cycle. It only warns for a test that starts later,
 * because that may be in another cycle.
 */
export async function visitorsCheck(
  context: EngineContext,
  { store_id }: DraftRow,
  isLater: boolean,
): Promise<LaunchCheck[]> {
  const trouble = await limitTrouble(context, store_id)
  if (!trouble) return [good('visitors', 'Visitors are left in this billing cycle.')]
  return [
    launchCheck('visitors', isLater ? 'warn' : 'bad', trouble.message, {
      remedy: 'Choose a plan with more visitors, or wait until usage resets.',
    }),
  ]
}

/** Warns about addresses of the test that no page of the shop has. */
export const pagesCheck = (unmatched: readonly string[]): LaunchCheck =>
  unmatched.length > 0
    ? launchCheck('pages', 'warn', `No page of the shop matches ${namesOf(unmatched)} now.`, {
        remedy: 'Remove it, or keep it for pages that you will add.',
      })
    : good('pages', 'Every address matches a page of your shop.')

/**
 * Warns when the variant cannot be applied from here, or when other redirect tests start from the
 * variant's page.
 */
export function redirectCheck(
  { control_url, redirect_url }: Ready,
  others: readonly { title: string }[],
): LaunchCheck {
  if (isSamePage(control_url, redirect_url))
    return launchCheck(
      'redirect',
      'warn',
      'Control and variant are the same page with a different query.',
      {
        remedy:
          'You can test this, but not apply it from here: the redirect would lead the page to itself. If it wins, change the page itself.',
      },
    )
  if (others.length === 0) return good('redirect', 'Both pages open and do not redirect elsewhere.')
  return launchCheck(
    'redirect',
    'warn',
    `${namesOf(others.map(({ title }) => title))} ${others.length > 1 ? 'redirect' : 'redirects'} visitors away from the variant’s page.`,
    {
      remedy:
        'A visitor takes part in only one of them. If you apply both, one redirects to the other; to avoid that, enter the last page itself.',
    },
  )
}

/**
 * Warns about other price tests with the same products. A product is in one running price test at a
 * time, so those tests cannot start while this one runs.
 */
export const productsCheck = (waiting: readonly string[]): LaunchCheck =>
  waiting.length > 0
    ? launchCheck(
        'products',
        'warn',
        `${namesOf(waiting)} ${waiting.length > 1 ? 'are not running and use' : 'is not running and uses'} products of this test.`,
        {
          remedy: `While this test runs, ${waiting.length > 1 ? 'those tests' : 'that test'} cannot start or resume. End the tests that you no longer need, or wait.`,
        },
      )
    : good('products', 'All products are for sale and in no other price test.')

/**
 * Warns about markets that have price lists of their own. Nobody there sees or pays the prices of a
 * test, so both arms are alike, and their visitors only make the difference smaller.
 */
export const marketsCheck = (markets: readonly string[]): LaunchCheck[] =>
  markets.length > 0
    ? [
        launchCheck(
          'products',
          'warn',
          `Your price ${markets.length > 1 ? 'lists' : 'list'} for ${markets.join(', ')} set${markets.length > 1 ? '' : 's'} the prices there. The test does not change them.`,
          {
            remedy:
              'Choose an audience without the countries of these markets, so that their visitors do not blur the result.',
          },
        ),
      ]
    : []

/** Checks how many of the shop's recent visitors are in the test's audience. */
export async function audienceCheck(
  context: EngineContext,
  { store_id: storeId, audience_ids: ids }: DraftRow,
): Promise<LaunchCheck> {
  if (ids.length === 0) return good('audience', 'All visitors of the tested pages take part.')
  const { visitors, share } = await previewOf(
    context,
    storeId,
    await audiencesById(context, storeId, ids),
  )
  // Without recent visitors we cannot say who will come.
  if (visitors === 0 || share === null) return good('audience', 'The audience exists.')
  return share > 0
    ? good(
        'audience',
        `${share < 0.01 ? 'Less than 1%' : `${Math.round(share * 100)}%`} of the last 28 days’ visitors were in the audience.`,
      )
    : launchCheck('audience', 'warn', 'None of the last 28 days’ visitors was in the audience.', {
        remedy: 'Check its conditions, or launch if you expect such visitors.',
      })
}
