import { richest } from '../../domain/platform/capabilities.ts'
import { formOf } from '../../domain/drafts/draft-form.ts'
import { launchProblems, type TestDraft } from '../../domain/drafts/draft.ts'
import {
  good,
  launchCheck,
  type LaunchChecks,
  sharingCheck,
} from '../../domain/tests/launch-check.ts'
import { day } from '../../domain/time-units.ts'
import type { DesignGroup } from './design.tsx'
import { now, store } from './design-examples.ts'
import { DraftChecks } from '../drafts/draft-checks.tsx'
import { DraftEditor, type DraftEditorProps } from '../drafts/draft-editor.tsx'
import { GoalStep } from '../drafts/steps/draft-step-goal.tsx'
import { ReviewStep } from '../drafts/steps/draft-step-review.tsx'
import { SplitStep } from '../drafts/steps/draft-step-split.tsx'

const draft: TestDraft = {
  id: 'example',
  kind: 'UrlRedirect',
  title: 'Gift guide of this year',
  hypothesisDescription: 'If the guide opens with prices, more visitors buy.',
  controlTitle: 'Control',
  variantTitle: 'New guide',
  goal: 'ConversionRate',
  weights: [0.5, 0.5],
  minimumEffect: 0.1,
  expectedVisitors: null,
  controlUrl: '/pages/gift-guide',
  redirectUrl: '',
  audienceIds: [],
  apiMode: null,
  origin: null,
  hypotheses: [],
  domSelectors: [],
  version: 1,
  createdAt: now.toISOString(),
  updatedAt: now.toISOString(),
  variantCreatedAt: null,
  control: null,
  variant: null,
  resourceIds: [],
  templateKind: null,
  changeState: null,
  launchAt: null,
  automaticallyEndAt: null,
  previewUrls: ['https://fern-and-kiln.example/', 'https://fern-and-kiln.example/'],
}

const editor = {
  draft,
  form: formOf(draft, store.timeZone),
  problems: [],
  open: launchProblems(draft),
  pages: [],
  matches: [],
  previews: draft.previewUrls,
  timeZone: store.timeZone,
  store: richest,
}

const ofShop = { mean: 0.031, variances: [0.03, 0.03] as [number, number] }

const planned = {
  days: 35,
  plannedVisitors: 98_154,
  neededVisitors: 98_154,
  startAt: now.toISOString(),
  endsAt: new Date(now.getTime() + 35 * day).toISOString(),
  dailyVisitors: 2_940,
  sharedBy: 1,
  source: 'shop' as const,
  hasHistory: true,
  traffic: 'enough' as const,
  isEnough: true,
  daysNeeded: 34,
  smallestEffect: null,
  spreads: {
    ConversionRate: ofShop,
    AverageOrderValue: null,
    RevenuePerSession: null,
    ClickThroughRate: null,
    AddToCartRate: null,
  },
}

const refusedGoal: DraftEditorProps = {
  ...editor,
  isExample: true,
  step: 'goal',
  problems: [{ field: 'minimumEffect', message: 'Write it as a number from 1 to 100.' }],
}

const splitting: DraftEditorProps = { ...editor, step: 'split' },
  reviewing: DraftEditorProps = { ...editor, step: 'review' }

const checked: LaunchChecks = {
  version: 1,
  sharing: { tests: [{ id: '1', title: 'Badge' }], days: 35, daysAlone: 21 },
  checks: [
    good('script', 'Installed and up to date.'),
    launchCheck('pages', 'bad', 'No page of the shop matches.'),
    sharingCheck({ tests: [{ id: '1', title: 'Badge' }], days: 35, daysAlone: 21 }),
  ],
  browser: {
    state: 'running',
    checks: [],
    checkedAt: null,
    jobId: '1',
    progress: 0.5,
    message: 'Opening /products/mug in the variant, 2 of 4',
  },
}

/** Specimens of the editor's steps. */
export const editorGroups: DesignGroup[] = [
  {
    id: 'editor',
    title: 'Draft editor',
    note: 'Steps, checklist and the step at hand.',
    isWide: true,
    specimens: [
      {
        caption: 'Goal, refused',
        view: (
          <DraftEditor
            {...refusedGoal}
            shown={{ stage: <GoalStep {...refusedGoal} plan={planned} /> }}
          />
        ),
      },
      {
        caption: 'Audience and split',
        view: (
          <SplitStep
            {...splitting}
            audiences={[]}
            closed="CustomAudiences"
            reach="About 12% of visitors are in this audience: 2,410 of 20,083 in the last 28 days."
            plan={{
              title: 'Not enough traffic',
              text: 'With about 40 visitors a day this takes over 90 days. In 28 days it can find a change of 48% or more.',
              isEnough: false,
            }}
          />
        ),
      },
      {
        caption: 'Review, not ready',
        view: (
          <ReviewStep
            {...reviewing}
            audiences={[]}
            themes={{}}
            plan={{
              title: '21 days, planned end 14 Dec 2026',
              text: '12,000 visitors are needed in all.',
              isEnough: true,
            }}
            prices=""
            checks={
              <DraftChecks
                draft={reviewing.draft}
                found={checked}
                timeZone="UTC"
                isAsked={false}
                again="/"
                atOnce="/"
              />
            }
          />
        ),
      },
    ],
  },
]
