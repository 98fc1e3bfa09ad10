import {
  good,
  inOrder,
  type LaunchCheck,
  launchCheck,
  lengthCheck,
  problemChecks,
  type Sharing,
  sharingCheck,
  uncompared,
} from '../../../domain/tests/launch-check.ts'
import { leadingOn } from '../../../domain/tests/redirect-url.ts'
import { targetKind } from '../../../domain/tests/test-target.ts'
import type { EngineContext } from '../../context.ts'
import type { DraftRow } from '../../drafts/draft-rows.ts'
import { experimentCheck } from '../../script/native-experiments.ts'
import { redirectsOf } from '../exclusion.ts'
import {
  audienceCheck,
  pagesCheck,
  marketsCheck,
  planCheck,
  productsCheck,
  redirectCheck,
  visitorsCheck,
} from './launch-checks-rows.ts'
import { launchReadiness } from './launch-ready.ts'
import { scriptCheck } from './launch-script.ts'
import { shopChecks } from './launch-shop.ts'
import { capabilitiesOf } from '../../platform/store-capabilities.ts'
import { priceListMarkets } from '../../prices/price-list-markets.ts'
import { waitingWith } from '../../products/product-rows.ts'
import { type DraftSamplePlan, samplePlanOfDraft } from '../../drafts/sample-plan.ts'

/** All launch checks that need no browser: of the draft, the store and the shop as they are now. */
export async function checksNow(
  context: EngineContext,
  draft: DraftRow,
): Promise<{ checks: LaunchCheck[]; sharing: Sharing }> {
  const { ready, problems, unmatched, isUncompared } = await launchReadiness(context, draft)
  const pages = (JSON.parse(ready.pages) as (string | null)[]).filter(page => page !== null)
  const reds = problemChecks(problems)
  const fine = (name: LaunchCheck['name'], message: string): LaunchCheck[] =>
    reds.some(check => check.name === name) ? [] : [good(name, message)]
  const planned = await samplePlanOfDraft(context, draft, {
      pages,
      redirectUrl: ready.redirect_url,
    }),
    sharing = sharingOf(planned)
  const kind = targetKind(draft.kind)
  const isLater = draft.launch_at !== null && draft.launch_at > context.clock()
  const checks = [
    ...reds,
    ...fine('filled', 'Name, goal and split are set.'),
    await planCheck(context, draft),
    ...shopChecks(draft, await capabilitiesOf(context, draft.store_id)),
    ...(await visitorsCheck(context, draft, isLater)),
    await scriptCheck(context, draft),
    ...(isUncompared ? [uncompared] : []),
    ...(kind === 'template' || kind === 'theme'
      ? fine(
          'target',
          `Both ${kind === 'theme' ? 'themes are there and fit the shop’s pages' : 'templates are in the live theme'}.`,
        )
      : []),
    ...(draft.kind === 'PageElement' && !reds.some(({ name }) => name === 'pages')
      ? [pagesCheck(unmatched)]
      : []),
    ...(kind === 'url'
      ? reds.some(({ name }) => name === 'redirect')
        ? []
        : [
            redirectCheck(
              ready,
              leadingOn(ready.redirect_url, await redirectsOf(context.db.kysely, draft.store_id)),
            ),
          ]
      : []),
    ...(draft.kind === 'Price' && !reds.some(({ name }) => name === 'products')
      ? [
          productsCheck(await waitingWith(context.db.kysely, draft.store_id, draft.draft_id)),
          ...marketsCheck(await priceListMarkets(context, draft.store_id)),
        ]
      : []),
    sharingCheck(sharing),
    ...(await experimentCheck(context, draft)),
    ...(reds.some(({ name }) => name === 'audience') ? [] : [await audienceCheck(context, draft)]),
    ...(draft.launch_at && !isLater
      ? [
          launchCheck(
            'schedule',
            'warn',
            'The start has passed: the test starts as soon as it is launched.',
            { remedy: 'Set another start to launch it later.' },
          ),
        ]
      : fine(
          'schedule',
          isLater
            ? 'It starts by itself at the time you set.'
            : 'It starts as soon as you launch it.',
        )),
    await lengthOf(context, draft, planned),
  ]
  return { checks: inOrder(checks), sharing }
}

const sharingOf = ({ others, plan, daysAlone }: DraftSamplePlan): Sharing => ({
  tests: others,
  days: plan.days,
  daysAlone,
})

async function lengthOf(
  { db }: EngineContext,
  { store_id, minimum_effect, automatically_end_at }: DraftRow,
  { plan, basis, others, endsAt }: DraftSamplePlan,
): Promise<LaunchCheck> {
  const { time_zone: timeZone } = await db.kysely
    .selectFrom('stores')
    .select('time_zone')
    .where('store_id', '=', store_id)
    .executeTakeFirstOrThrow()
  const { source, hasHistory } = basis
  return lengthCheck(
    {
      ...plan,
      source,
      hasHistory,
      dailyVisitors: basis.dailyVisitors / (1 + others.length),
      endsAt: endsAt.toISOString(),
    },
    {
      minimumEffect: minimum_effect,
      timeZone,
      automaticallyEndAt: automatically_end_at?.toISOString() ?? null,
    },
  )
}
