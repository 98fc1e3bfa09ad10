import * as Type from 'typebox'
import { type Call, closed, Done, Id, IdParam } from '../api/call.ts'
import { discountCodeLimit } from '../calls/plans.ts'
import { StoreNetworkChoice } from '../events/network.ts'
import { Plan } from '../plans/plan.ts'
import {
  AppliedDiscount,
  appliedSorts,
  DiscountCode,
  DiscountInput,
  discountSorts,
  discountStates,
} from '../staff/staff-discounts.ts'
import {
  healthSorts,
  healthViews,
  ScriptCheck,
  StoreHealth,
  storeTroubles,
} from '../staff/staff-health.ts'
import { listQuery, narrowedQuery } from '../staff/staff-list.ts'
import { StaffFound, StaffStorePage, StaffTrends } from '../staff/staff-overview.ts'
import {
  FeatureStore,
  featureSorts,
  FlagChange,
  Trial,
  TrialExtension,
  trialFilters,
  trialSorts,
  TrialStore,
} from '../staff/staff-stores.ts'
import {
  StaffTest,
  testSorts,
  troubledSorts,
  TroubledTest,
  testTroubles,
} from '../staff/staff-tests.ts'
import { testKindNames } from '../tests/test-kind.ts'
import { testStatuses } from '../tests/test-status.ts'

const Count = Type.Integer()
const Code = Type.Object(
  { code: Type.String({ minLength: 1, maxLength: discountCodeLimit }) },
  closed,
)
const noStore = 'There is no such store.'

/**
 * Calls of staff's panel (requirements 1.21). Lists answer one page of rows, and the number of all
 * rows.
 */
export const adminCalls = {
  adminFeatures: {
    method: 'GET',
    path: '/api/v0/admin/stores/features',
    about: 'Stores with their feature flags.',
    query: listQuery(featureSorts),
    response: Type.Object({ stores: Type.Array(FeatureStore), count: Count }),
  },
  adminStoreFeatures: {
    method: 'GET',
    path: '/api/v0/admin/stores/features/:id',
    about: 'The feature flags of one store.',
    params: Id,
    response: FeatureStore,
    errors: { 404: noStore },
  },
  switchFeatures: {
    method: 'PUT',
    path: '/api/v0/admin/stores/features/:id',
    about:
      'Switches feature flags of a store on and off; those that are not named stay. A change for the script publishes it again.',
    params: Id,
    body: FlagChange,
    response: FeatureStore,
    errors: { 400: 'A flag is in both lists.', 404: noStore },
  },

  adminTrials: {
    method: 'GET',
    path: '/api/v0/admin/stores/trials',
    about: 'Stores within their free trial.',
    query: narrowedQuery(trialSorts, trialFilters),
    response: Type.Object({
      stores: Type.Array(TrialStore),
      count: Count,
      /** Counts of all trials, without search and filters. */
      all: Count,
      endThisWeek: Count,
    }),
  },
  adminTrial: {
    method: 'GET',
    forOtherClients: true,
    path: '/api/v0/admin/stores/trials/:id',
    about: 'The trial of one store, under way, over or never begun.',
    params: Id,
    response: Trial,
    errors: { 404: noStore },
  },
  extendTrial: {
    method: 'POST',
    path: '/api/v0/admin/stores/trials/:id/extend',
    about: 'Moves the end of a running trial at the platform.',
    params: Id,
    body: TrialExtension,
    response: Trial,
    errors: {
      404: noStore,
      409: 'The store is not on trial, or the end of its trial has changed meanwhile.',
      502: 'The platform could not be reached.',
    },
  },

  adminPlans: {
    method: 'GET',
    path: '/api/v0/admin/plans',
    about: 'Every plan, those that are not offered too.',
    response: Type.Array(Plan),
  },
  adminDiscounts: {
    method: 'GET',
    path: '/api/v0/admin/plan-discounts/codes',
    about: 'Discount codes, and how many stores have used each.',
    query: narrowedQuery(discountSorts, { state: Type.Optional(Type.Enum([...discountStates])) }),
    response: Type.Object({
      codes: Type.Array(DiscountCode),
      count: Count,
      counts: Type.Record(Type.Enum([...discountStates]), Count),
    }),
  },
  addDiscount: {
    method: 'POST',
    path: '/api/v0/admin/plan-discounts/codes',
    about: 'Adds a discount code.',
    body: DiscountInput,
    response: DiscountCode,
    errors: { 400: 'A field is not as it must be.', 409: 'There is such a code already.' },
  },
  endDiscount: {
    method: 'POST',
    path: '/api/v0/admin/plan-discounts/codes/:code/end',
    about: 'Ends a discount code now; subscriptions that have it keep it.',
    params: Code,
    response: DiscountCode,
    errors: { 404: 'There is no such code.', 409: 'It has ended already.' },
  },
  adminDiscountsApplied: {
    method: 'GET',
    path: '/api/v0/admin/plan-discounts/applied',
    about: 'Subscriptions that a discount code was used for.',
    query: listQuery(appliedSorts),
    response: Type.Object({ applied: Type.Array(AppliedDiscount), count: Count }),
  },

  adminTests: {
    method: 'GET',
    path: '/api/v0/admin/tests',
    about: 'Launched tests of all stores.',
    query: narrowedQuery(testSorts, {
      status: Type.Optional(Type.Enum([...testStatuses])),
      kind: Type.Optional(Type.Enum(testKindNames)),
    }),
    response: Type.Object({
      tests: Type.Array(StaffTest),
      count: Count,
      /** Counts by status, without search and filters. */
      counts: Type.Record(Type.Enum([...testStatuses]), Count),
    }),
  },
  adminTestHealth: {
    method: 'GET',
    path: '/api/v0/admin/health/tests',
    about: 'Tests that run or are held, and need a look: why they do.',
    query: narrowedQuery(troubledSorts, { trouble: Type.Optional(Type.Enum([...testTroubles])) }),
    response: Type.Object({
      tests: Type.Array(TroubledTest),
      count: Count,
      /** `looked`: tests that run or are on hold. `troubled`: those of them that need a look. */
      looked: Count,
      troubled: Count,
      troubles: Type.Record(Type.Enum([...testTroubles]), Count),
    }),
  },
  adminStoreHealth: {
    method: 'GET',
    path: '/api/v0/admin/health/stores',
    about: 'Stores: script, last event, last sign-in, subscription, usage, and problems.',
    query: narrowedQuery(healthSorts, { view: Type.Optional(Type.Enum([...healthViews])) }),
    response: Type.Object({
      stores: Type.Array(StoreHealth),
      count: Count,
      all: Count,
      troubled: Count,
      troubles: Type.Record(Type.Enum([...storeTroubles]), Count),
    }),
  },
  checkScript: {
    method: 'POST',
    path: '/api/v0/admin/health/stores/:id/script-check',
    about: "Fetches a shop's script from its own address and compares it with what was published.",
    params: Id,
    response: ScriptCheck,
    errors: {
      404: noStore,
      409: 'The store is uninstalled, or nothing has been published for it yet.',
    },
  },
  adminTrends: {
    method: 'GET',
    path: '/api/v0/admin/trends',
    about: 'Stores by day, and what the API answered by hour.',
    response: StaffTrends,
  },
  adminSearch: {
    method: 'GET',
    path: '/api/v0/admin/search',
    about: 'Stores, tests and orders by name, address or id.',
    query: Type.Object({ search: Type.String({ maxLength: 200 }) }, closed),
    response: StaffFound,
  },
  adminStore: {
    method: 'GET',
    path: '/api/v0/admin/stores/:id',
    about: 'Everything about one store.',
    params: Id,
    response: StaffStorePage,
    errors: { 404: noStore },
  },
  recount: {
    method: 'POST',
    path: '/api/v0/admin/stores/:id/recounts',
    about:
      'Counts the figures of a store again from its stored events, or those of one test, in the background.',
    params: Id,
    body: Type.Object({ testId: Type.Optional(IdParam) }, closed),
    response: Type.Object({ jobId: Type.String() }),
    errors: {
      404: 'There is no such store or test.',
      409: 'The store is uninstalled.',
      429: 'As many recounts as a store may have are waiting.',
    },
  },
  chooseStoreNetwork: {
    method: 'PUT',
    path: '/api/v0/admin/stores/:id/networks',
    about: 'Sets the visitors of one of a store’s networks aside, or counts them again.',
    params: Id,
    body: StoreNetworkChoice,
    response: Done,
    none: [404],
  },
} as const satisfies Record<string, Call>
