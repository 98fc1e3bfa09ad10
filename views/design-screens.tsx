import { attentionOf, watchedOf } from '../domain/attention.ts'
import { formOf } from '../domain/draft-form.ts'
import { launchProblems, type TestDraft } from '../domain/draft.ts'
import { holdCause } from '../domain/hold-cause.ts'
import { invalidDiscount, type DiscountCheck } from '../domain/discount.ts'
import { good, launchCheck, type LaunchChecks, sharingCheck } from '../domain/launch-check.ts'
import { planOffer, type Offering } from '../domain/plan-offer.ts'
import type { Plan } from '../domain/plan.ts'
import { Closed } from './closed.tsx'
import type { DesignGroup } from './design.tsx'
import { now, plans, statusOf, store } from './design-examples.ts'
import { tests } from './design-example-tests.ts'
import { DraftChecks } from './draft-checks.tsx'
import { DraftEditor, type DraftEditorProps } from './draft-editor.tsx'
import { paths } from '../domain/paths.ts'
import { DraftKinds } from './draft-kinds.tsx'
import { GoalStep } from './draft-step-goal.tsx'
import { ReviewStep } from './draft-step-review.tsx'
import { SplitStep } from './draft-step-split.tsx'
import { ErrorNotice } from './error.tsx'
import { AuthMissing } from './guest.tsx'
import { PlanCard } from './plan-card.tsx'
import { PlanDowngrade } from './plan-downgrade.tsx'
import { UpgradeWords } from './plan-upgrade.tsx'
import { Notifications } from './settings-notifications.tsx'
import { BareTopbar, Blocked, Frame, Topbar } from './shell.tsx'
import { Uninstalled } from './uninstall-after.tsx'

const discount: DiscountCheck = {
  isValid: true,
  valueType: 0,
  value: 20,
  planId: 'advanced-annual',
}
const [coreMonthly, , advancedMonthly, advancedAnnual, proMonthly] = plans as [
  Plan,
  Plan,
  Plan,
  Plan,
  Plan,
]
const offering = (over: Partial<Offering> = {}): Offering => ({
  store,
  status: statusOf(84_120),
  plans,
  discount: invalidDiscount,
  now,
  ...over,
})
const acts = { page: '/', state: '', flipped: '/', code: null }
const Offered = ({
  plan,
  over,
  isChosen = false,
  showsAnnual = plan.isAnnual,
}: {
  plan: Plan
  over?: Partial<Offering>
  isChosen?: boolean
  showsAnnual?: boolean
}) => (
  <PlanCard
    offer={planOffer(plan, offering(over), showsAnnual)}
    discount={over?.discount ?? invalidDiscount}
    acts={acts}
    isChosen={isChosen}
  />
)

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
}

const ofShop = { mean: 0.031, variances: [0.03, 0.03] as [number, number] }
const planned = {
  days: 35,
  plannedVisitors: 98_154,
  neededVisitors: 98_154,
  startAt: now.toISOString(),
  endsAt: new Date(now.getTime() + 35 * 86_400_000).toISOString(),
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

const known: Parameters<typeof attentionOf>[0] = {
  store,
  status: statusOf(93_004),
  plan: advancedMonthly,
  suspended: [],
  charges: [
    {
      id: 'price',
      title: 'Mugs at $29',
      message:
        'Order #1042 was charged $34.00 for Ash glaze mug, where visitors of the variant are to pay $29.00.',
    },
  ],
  ga: null,
  now,
  fresh: new Set(['held']),
  onHold: [
    {
      id: 'held',
      title: tests.splitBroken.title,
      status: 'OnHold',
      since: now.toISOString(),
      holdCause: holdCause('pageGone', 'The shop has no page at /pages/gift-guide-2026.'),
    },
  ],
}

export const screenGroups: DesignGroup[] = [
  {
    id: 'closed',
    title: 'Closed features',
    note: 'What it is, what opens it, and where.',
    specimens: [
      {
        caption: 'Opened by a plan',
        view: <Closed capability="LiftAssists" at={paths.design()} />,
      },
      { caption: 'Opened by us', view: <Closed capability="PriceTesting" at={paths.design()} /> },
    ],
  },
  {
    id: 'notices',
    title: 'Errors and notices',
    note: 'What happened, what it means for the shop, and what to do. Never a trace; the number is for whoever is asked.',
    specimens: [
      {
        caption: 'Not there',
        view: (
          <ErrorNotice status={404} message={null} retry={null} uuid={null} home={paths.home()} />
        ),
      },
      {
        caption: 'Out of reach',
        view: (
          <ErrorNotice
            status={502}
            message="Twinshelf cannot reach its data at the moment."
            retry="/"
            uuid="7d0c1b8e-4b1f-4b5c-9d57-2f1c3a0f6b11"
            home={paths.home()}
          />
        ),
      },
      {
        caption: 'Ours',
        view: (
          <ErrorNotice
            status={500}
            message={null}
            retry={null}
            uuid="7d0c1b8e-4b1f-4b5c-9d57-2f1c3a0f6b11"
            home={paths.home()}
          />
        ),
      },
      { caption: 'Signed out', view: <AuthMissing admin="/" /> },
      { caption: 'Uninstalled', view: <Uninstalled store="fern-and-kiln" admin="/" last={null} /> },
      { caption: 'A navigation that was blocked', view: <Blocked reason="selectplan" /> },
    ],
  },
  {
    id: 'frame',
    title: 'Frame',
    note: 'What stands around every page.',
    specimens: [
      {
        caption: 'Top bar and navigation',
        view: (
          <div class="design-frame">
            <Frame
              store={store}
              status={statusOf(84_120)}
              docs="/"
              isFree
              section="tests"
              rail={false}
            />
          </div>
        ),
      },
      {
        caption: 'Folded to icons',
        view: (
          <div class="shell-rail design-frame">
            <Frame
              store={store}
              status={statusOf(50_000)}
              docs="/"
              isFree
              section="settings"
              rail
            />
          </div>
        ),
      },
      {
        caption: 'While the store may go nowhere else',
        view: <Topbar store={store} docs="/" isFree={false} />,
      },
      { caption: 'Outside the shell', view: <BareTopbar /> },
    ],
  },
  {
    id: 'attention',
    title: 'Notifications',
    note: 'Every line says what is wrong and what to do, and leads there.',
    isWide: true,
    specimens: [
      {
        caption: 'Something needs the merchant',
        view: (
          <div class="stack">
            <Notifications
              attention={attentionOf(known)}
              watched={watchedOf(known)}
              onHold={1}
              timeZone={store.timeZone}
            />
          </div>
        ),
      },
      {
        caption: 'Nothing does',
        view: (
          <div class="stack">
            <Notifications
              attention={[]}
              watched={watchedOf({ ...known, onHold: [], suspended: [] })}
              onHold={0}
              timeZone={store.timeZone}
            />
          </div>
        ),
      },
    ],
  },
  {
    id: 'kinds',
    title: 'Kinds of test',
    note: 'One that is closed to the store says what opens it.',
    isWide: true,
    specimens: [
      {
        caption: 'One open, one closed',
        view: (
          <div class="stack">
            <DraftKinds open={['UrlRedirect']} kinds={['UrlRedirect', 'PageElement']} />
          </div>
        ),
      },
    ],
  },
]

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

export const planGroups: DesignGroup[] = [
  {
    id: 'plans',
    title: 'Plan card',
    note: 'The button says what happens, by the first rule that fits.',
    specimens: [
      { caption: 'The store’s own', view: <Offered plan={advancedMonthly} isChosen /> },
      {
        caption: 'A smaller one, which is confirmed',
        view: (
          <>
            <Offered plan={coreMonthly} />
            <PlanDowngrade
              offer={planOffer(coreMonthly, offering(), false)}
              current={advancedMonthly}
              acts={acts}
              nextCycle="1 Dec 2026"
            />
          </>
        ),
      },
      { caption: 'Agreed in person', view: <Offered plan={proMonthly} /> },
      { caption: 'With a discount', view: <Offered plan={advancedAnnual} over={{ discount }} /> },
      {
        caption: 'What a closed feature offers, in a dialog over its page',
        view: (
          <div class="stack">
            <UpgradeWords
              capability="LiftAssists"
              offer={planOffer(
                { ...advancedMonthly, id: 'example-upgrade' },
                offering({ plans: [] }),
                false,
              )}
              discount={invalidDiscount}
              acts={acts}
              current={coreMonthly}
              nextCycle={null}
            />
          </div>
        ),
      },
      { caption: 'Not offered', view: <Offered plan={{ ...coreMonthly, available: false }} /> },
    ],
  },
]
