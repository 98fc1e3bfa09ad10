import * as Type from 'typebox'
import { type Call, closed, Done, Id, IdParam, Instant, Maybe } from '../api/call.ts'
import { changeLimits, DomSelector } from '../drafts/dom-selector.ts'
import { DraftCreate, TestDraft } from '../drafts/draft.ts'
import { DraftUpdate } from '../drafts/draft-update.ts'
import { type Goal, goalNames } from '../reports/goal.ts'
import { LaunchChecks } from '../tests/launch-check.ts'
import { MerchantCopy } from '../themes/merchant-copy.ts'
import { ScheduleInput } from '../tests/schedule-input.ts'
import { templateTypes } from '../themes/template.ts'
import { ArmState } from '../tests/test-target.ts'
import { Granular, Suffix } from './templates.ts'

/**
 * What the merchant chose for the variant. An empty object means a copy of the control's template.
 */
export const VariantInput = Type.Object(
  {
    /** An existing template of the control's type. */
    suffix: Type.Optional(Suffix),
    themeId: Type.Optional(IdParam),
    redirectTestUrl: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
    granular: Type.Optional(Granular),
  },
  closed,
)
const refused = {
  400: 'The chosen template, theme or page does not exist, or does not fit the kind of test; the field is named.',
}
const closedKind = 'The plan does not open this kind of test.'

const SpreadOfGoal = Type.Object({
  mean: Type.Number(),
  variances: Type.Tuple([Type.Number(), Type.Number()]),
})

const Problem = Type.Object({ field: Type.String(), message: Type.String() })
/**
 * `problems`: the parts of a save with `storeRest` that were not stored. `isLate`: nothing was
 * stored, because the page has already sent a later save.
 */
const SavedDraft = Type.Object({
  ...TestDraft.properties,
  problems: Type.Optional(Type.Array(Problem)),
  isLate: Type.Optional(Type.Boolean()),
})

export const draftCalls = {
  createDraft: {
    method: 'POST',
    path: '/api/v0/test-drafts',
    about: 'Begins a draft.',
    body: DraftCreate,
    response: TestDraft,
    errors: {
      403: closedKind,
      409: 'The store has as many drafts as it may have.',
    },
  },
  draft: {
    method: 'GET',
    path: '/api/v0/test-drafts/:id',
    about: 'One draft.',
    params: Id,
    response: TestDraft,
  },
  updateDraft: {
    method: 'PUT',
    path: '/api/v0/test-drafts/:id',
    about:
      'Stores the given fields, changes, schedule and prices in one step. Values that are already stored make no new version.',
    params: Id,
    body: DraftUpdate,
    bodyLimit: 512 * 1024,
    response: SavedDraft,
    errors: {
      400: 'Something that is given cannot be stored; each problem is named at its field.',
      403: 'Prices are given, and price testing is not switched on for this store.',
      409: 'It was changed elsewhere since `version`.',
    },
  },
  deleteDraft: {
    method: 'DELETE',
    path: '/api/v0/test-drafts/:id',
    about: 'Deletes a draft, and what was made in the shop for it.',
    params: Id,
    response: Done,
  },
  draftTemplateStatus: {
    method: 'GET',
    path: '/api/v0/test-drafts/:id/template-status',
    about:
      'For each arm, whether everything it needs is in the shop, and whether its template was changed.',
    params: Id,
    response: Type.Object({ control: ArmState, variant: ArmState }),
  },
  variantCopy: {
    method: 'GET',
    path: '/api/v0/test-drafts/:id/variant-copy',
    about:
      'What the merchant copies as the variant, and under which name, where the platform lets only the merchant make copies; null elsewhere. A variant without a template or theme is then the copy that is found.',
    params: Id,
    response: Type.Object({ copy: Maybe(MerchantCopy) }),
  },
  scheduleDraft: {
    method: 'PUT',
    forOtherClients: true,
    path: '/api/v0/test-drafts/:id/schedule',
    about: 'Sets when the test starts and ends automatically. It must run for at least a day.',
    params: Id,
    body: ScheduleInput,
    response: TestDraft,
    errors: { 400: 'An instant has passed, or the end comes too soon.' },
  },
  setControl: {
    method: 'POST',
    path: '/api/v0/test-drafts/:id/control',
    about:
      'Chooses what the control shows: a template in use (`type`, `suffix`), a theme, or a page (`redirectTestUrl`). Choosing what the variant shows swaps the two.',
    params: Id,
    response: TestDraft,
    errors: refused,
    body: Type.Object(
      {
        type: Type.Optional(Type.Enum([...templateTypes])),
        suffix: Type.Optional(Suffix),
        themeId: Type.Optional(IdParam),
        redirectTestUrl: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
      },
      closed,
    ),
  },
  removeControl: {
    method: 'DELETE',
    path: '/api/v0/test-drafts/:id/control',
    about:
      'Removes the templates or themes of both arms. Deletes our copy for the variant from the shop, unless it was changed since.',
    params: Id,
    response: TestDraft,
    errors: refused,
  },
  setVariant: {
    method: 'POST',
    path: '/api/v0/test-drafts/:id/variant',
    about:
      'Gives the variant a copy of the control’s template under a suffix of ours, or an existing template, theme or page. `granular` names the products, collections, pages, blogs or articles that take part.',
    params: Id,
    body: VariantInput,
    response: TestDraft,
    errors: {
      ...refused,
      409: 'The draft was changed, launched or deleted meanwhile.',
      422: 'The shop refuses the copy, in its own words.',
    },
  },
  removeVariant: {
    method: 'DELETE',
    path: '/api/v0/test-drafts/:id/variant',
    about:
      'Removes the variant. Deletes what we made for it in the shop, unless it was changed since.',
    params: Id,
    response: TestDraft,
  },
  duplicateDraft: {
    method: 'POST',
    path: '/api/v0/test-drafts/:id/duplicate',
    about: 'Copies a draft, together with its variant’s template.',
    params: Id,
    response: TestDraft,
    errors: { 403: closedKind, 409: 'The store has as many drafts as it may have.' },
  },
  draftPlan: {
    method: 'GET',
    path: '/api/v0/test-drafts/:id/plan',
    about:
      'How long the test would take with the shop’s own traffic, for the draft as it is stored. Without history, `days` is the shortest length of a test.',
    params: Id,
    response: Type.Object({
      /**
       * `days`: the planned length, in whole weeks. `neededVisitors`: the visitors that the formula
       * asks for. `plannedVisitors`: the same, or fewer when fewer will come.
       */
      days: Type.Integer(),
      plannedVisitors: Type.Integer(),
      neededVisitors: Type.Integer(),
      /** When the test would start, and its planned end. */
      startAt: Instant,
      endsAt: Instant,
      /**
       * Visitors a day who would take part, after the running tests have taken their share; 0 when
       * unknown.
       */
      dailyVisitors: Type.Number(),
      sharedBy: Type.Integer(),
      /**
       * The source of `dailyVisitors`: the shop’s last 28 full days, the draft’s
       * `expectedVisitors`, or none.
       */
      source: Type.Enum(['shop', 'guess', 'none']),
      hasHistory: Type.Boolean(),
      /**
       * Whether enough visitors come within 90 days. `daysNeeded`: in how many days they come.
       * `smallestEffect`: when they do not come, the smallest change that 28 days can find.
       */
      traffic: Type.Enum(['unknown', 'enough', 'notEnough']),
      isEnough: Type.Boolean(),
      daysNeeded: Maybe(Type.Integer()),
      smallestEffect: Maybe(Type.Number()),
      /**
       * For each goal: the control’s mean and both arms’ variances per visitor, from the shop’s
       * last 28 days; null when the shop has no such figures.
       */
      spreads: Type.Object(
        Object.fromEntries(goalNames.map(goal => [goal, Maybe(SpreadOfGoal)])) as Record<
          Goal,
          Type.TUnion<[typeof SpreadOfGoal, Type.TNull]>
        >,
      ),
    }),
  },
  draftChecks: {
    method: 'GET',
    path: '/api/v0/test-drafts/:id/checks',
    about:
      'What prevents a launch, and what the merchant should know before it: checked now, together with the last findings of a browser.',
    params: Id,
    response: LaunchChecks,
  },
  startDraftChecks: {
    method: 'POST',
    path: '/api/v0/test-drafts/:id/checks',
    about:
      'Opens the tested pages in a real browser, both arms, in the background. A server without a browser answers null.',
    params: Id,
    response: Type.Object({ jobId: Maybe(Type.String()) }),
  },
  launchDraft: {
    method: 'POST',
    path: '/api/v0/test-drafts/:id/launch',
    about:
      'Makes the draft a test: running, or scheduled when its start is in the future. A second call answers the same test.',
    params: Id,
    response: Type.Object({ testId: Type.String() }),
    errors: {
      400: 'Something prevents the launch; each problem is named at its field.',
      403: 'The plan does not open this kind of test, or its audiences.',
      409: 'There is no active subscription, or the draft was changed meanwhile.',
    },
  },
  setDomSelectors: {
    method: 'POST',
    forOtherClients: true,
    path: '/api/v0/hypotheses/:id/dom-selectors',
    about: 'Replaces the changes of a draft’s variant; the id is that of its hypothesis.',
    params: Id,
    body: Type.Object(
      { domSelectors: Type.Array(DomSelector, { maxItems: changeLimits.sets }) },
      closed,
    ),
    response: Type.Array(DomSelector),
  },
  validateRedirectUrl: {
    method: 'GET',
    path: '/api/v0/test-drafts/validate-redirect-url',
    about: 'Whether an address is a page of the shop that answers; its path on the shop.',
    query: Type.Object({ redirectUrl: Type.String({ minLength: 1, maxLength: 2048 }) }, closed),
    response: Type.Object({ url: Type.String() }),
    errors: {
      400: 'It is not; the field is named.',
      503: 'The shop lets us look at no more pages for a moment, so it could not be checked.',
      504: 'The shop did not answer, so it could not be checked.',
    },
  },
  urlSearch: {
    method: 'GET',
    path: '/api/v0/test-drafts/url-search',
    about: 'Pages of the shop whose path or title holds the text.',
    query: Type.Object({ searchText: Type.String({ maxLength: 200 }) }, closed),
    response: Type.Array(Type.Object({ url: Type.String(), title: Type.String() })),
  },
} as const satisfies Record<string, Call>
