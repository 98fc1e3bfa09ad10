import * as Type from 'typebox'
import { arms } from '../arm.ts'
import { HoldCause, listSorts, listTabs, Test, TestListItem, TestUpdate } from '../tests/ab-test.ts'
import {
  type Call,
  closed,
  Done,
  Id,
  IdParam,
  Instant,
  Maybe,
  Page,
  PageSize,
} from '../api/call.ts'
import { TestDraft } from '../drafts/draft.ts'
import { Lack } from '../platform/kind-needs.ts'
import { goalNames } from '../reports/goal.ts'
import { ListDigest } from '../tests/list-digest.ts'
import { StartChecklist } from '../tests/start-checklist.ts'
import { templateTypes } from '../themes/template.ts'
import { testKindNames } from '../tests/test-kind.ts'
import { ScriptWinner } from '../script/script-winner.ts'
import { testStatuses } from '../tests/test-status.ts'
import { ArmState } from '../tests/test-target.ts'
import { VariantInput } from './drafts.ts'
import { InstantInput, ScheduleInput } from '../tests/schedule-input.ts'
import { Suffix } from './templates.ts'

/** Tests that the system has stopped, and the instant to pass as `timestamp` next time. */
const Stopped = Type.Object({
  tests: Type.Array(
    Type.Object({
      id: Type.String(),
      title: Type.String(),
      status: Type.Enum([...testStatuses]),
      since: Instant,
      holdCause: Maybe(HoldCause),
    }),
  ),
  timestamp: Instant,
})
const Since = Type.Object({ timestamp: Type.Optional(InstantInput) }, closed)
const notApplied = {
  409: 'The test is being applied at this moment, has never run, or is an API test, whose winner the shop’s developer ships. Or something it needs is gone from the shop.',
  422: 'The shop refuses the change, in its own words.',
}

export const testCalls = {
  tests: {
    method: 'GET',
    path: '/api/v0/tests',
    about: 'Launched tests, or with `status=Draft` the drafts; a page of them.',
    query: Type.Object(
      {
        page: Page,
        perPage: PageSize,
        status: Type.Optional(Type.Enum([...listTabs])),
        sort: Type.Optional(Type.Enum([...listSorts])),
        descending: Type.Optional(Type.Boolean()),
        search: Type.Optional(Type.String({ maxLength: 200 })),
        kind: Type.Optional(Type.Enum(testKindNames)),
        goal: Type.Optional(Type.Enum(goalNames)),
      },
      closed,
    ),
    response: Type.Object({
      /** Empty for `status=Draft`; then `drafts` holds the page. */
      tests: Type.Array(TestListItem),
      drafts: Type.Array(
        Type.Object({
          id: Type.String(),
          kind: TestDraft.properties.kind,
          title: Type.String(),
          goal: TestDraft.properties.goal,
          createdAt: Type.String(),
          updatedAt: Type.String(),
        }),
      ),
      count: Type.Integer(),
      /** Number of rows in each tab, without search and filters. */
      counts: Type.Record(Type.Enum([...listTabs]), Type.Integer()),
      /**
       * Number of rows in each tab that match the search and the filters; null without search and
       * filters.
       */
      foundIn: Maybe(Type.Record(Type.Enum([...listTabs]), Type.Integer())),
      digest: ListDigest,
      scriptWinners: Type.Array(ScriptWinner),
      /** The store's checklist of first steps; null when all are done or it was dismissed. */
      start: Maybe(StartChecklist),
      /** Changes when any test or draft of the store does (`figuresRevision`). */
      revision: Type.String(),
    }),
  },
  figuresRevision: {
    method: 'GET',
    path: '/api/v0/figures-revision',
    about:
      'A text that changes whenever the figures or the state of a test change; without `test`, those of any test or draft.',
    query: Type.Object({ test: Type.Optional(IdParam) }, closed),
    response: Type.Object({ revision: Type.String() }),
  },
  activeTest: {
    method: 'GET',
    forOtherClients: true,
    path: '/api/v0/tests/active-test',
    about: 'The unfinished test that shows a template, the latest of several.',
    query: Type.Object(
      { type: Type.Enum([...templateTypes]), suffix: Type.Optional(Suffix) },
      closed,
    ),
    response: Type.Object({
      test: Maybe(
        Type.Object({
          id: Type.String(),
          title: Type.String(),
          status: Type.Enum([...testStatuses]),
        }),
      ),
    }),
  },
  newSuspended: {
    method: 'GET',
    path: '/api/v0/tests/check-new-suspended',
    about:
      'Tests that were suspended after `timestamp` and still are. Without it, all suspended tests.',
    query: Since,
    response: Stopped,
  },
  newOnHold: {
    method: 'GET',
    path: '/api/v0/tests/check-new-on-hold',
    about:
      'Tests that were put on hold after `timestamp` and still are. Without it, all tests on hold.',
    query: Since,
    response: Stopped,
  },
  chargeWarnings: {
    method: 'GET',
    path: '/api/v0/tests/charge-warnings',
    about:
      'Running price tests with an order that was charged a different price from the one shown, and the newest such order.',
    response: Type.Object({
      tests: Type.Array(
        Type.Object({ id: Type.String(), title: Type.String(), message: Type.String() }),
      ),
    }),
  },
  resumeOnHold: {
    method: 'POST',
    path: '/api/v0/tests/resume-on-hold',
    about: 'Resumes the tests on hold whose cause is gone: those that are named, or all.',
    body: Type.Object(
      { testIds: Type.Optional(Type.Array(IdParam, { maxItems: 100, uniqueItems: true })) },
      closed,
    ),
    response: Type.Object({
      resumed: Type.Array(Type.String()),
      refused: Type.Array(Type.Object({ id: Type.String(), message: Type.String() })),
    }),
  },
  endAllTests: {
    method: 'POST',
    path: '/api/v0/tests/end-all',
    about: 'Ends every unfinished test, or every price test.',
    body: Type.Object({ priceTestsOnly: Type.Boolean() }, closed),
    response: Type.Object({ ended: Type.Array(Type.String()) }),
  },
  test: {
    method: 'GET',
    path: '/api/v0/tests/:id',
    about: 'One test with its result.',
    params: Id,
    response: Test,
  },
  updateTest: {
    method: 'PUT',
    path: '/api/v0/tests/:id',
    about: 'Changes titles, the hypothesis or the status.',
    params: Id,
    body: TestUpdate,
    response: Test,
    errors: {
      409: 'The test cannot go from the one status to the other; the message names both, or the cause that is not gone yet.',
    },
  },
  deleteTest: {
    method: 'DELETE',
    path: '/api/v0/tests/:id',
    about: 'Deletes a test that is not running.',
    params: Id,
    response: Done,
    errors: { 409: 'It is running, or its changes are shown to everyone.' },
  },
  templatesExist: {
    method: 'POST',
    path: '/api/v0/tests/:id/templates-exist',
    about: 'For each arm, whether everything it needs is in the shop.',
    params: Id,
    response: Type.Object({ control: ArmState, variant: ArmState }),
  },
  duplicateTest: {
    method: 'POST',
    path: '/api/v0/tests/:id/duplicate',
    about: 'A new draft like this test.',
    params: Id,
    response: TestDraft,
    errors: { 403: 'The plan does not open this kind of test.' },
  },
  applyLack: {
    method: 'GET',
    path: '/api/v0/tests/:id/apply-lack',
    about:
      'Why the shop does not let us make an arm permanent, and what can be done about it; null when it does. `byScript`: why our script sends the control’s visitors on and not the shop, and how the shop could; null when the shop does, and for other tests.',
    params: Id,
    query: Type.Object({ arm: Type.Enum([...arms]) }, closed),
    response: Type.Object({ lack: Maybe(Lack), byScript: Maybe(Lack) }),
  },
  applyTest: {
    method: 'POST',
    path: '/api/v0/tests/:id/apply',
    about: 'Gives everyone one arm for good. A test that has not ended is ended first.',
    params: Id,
    body: Type.Object({ arm: Type.Enum([...arms]) }, closed),
    response: Test,
    slow: true,
    errors: notApplied,
  },
  applyVariant: {
    method: 'POST',
    forOtherClients: true,
    path: '/api/v0/tests/:id/apply-variant',
    about: 'Gives everyone the variant for good.',
    params: Id,
    response: Test,
    slow: true,
    errors: notApplied,
  },
  setTestVariant: {
    method: 'POST',
    path: '/api/v0/tests/:id/variant',
    about:
      'Makes the variant of a test on hold again, or gives it another template, theme or page.',
    params: Id,
    body: VariantInput,
    response: Test,
    errors: {
      400: 'The chosen template, theme or page does not exist or does not fit.',
      409: 'The test is not on hold.',
      422: 'The shop refuses the template, in its own words.',
    },
  },
  scheduleTest: {
    method: 'PUT',
    path: '/api/v0/tests/:id/schedule',
    about: 'Moves the start of a scheduled test, or the end of one that is not over.',
    params: Id,
    body: ScheduleInput,
    response: Test,
    errors: {
      400: 'An instant has passed, or the end comes too soon.',
      409: 'The test has ended.',
    },
  },
} as const satisfies Record<string, Call>
