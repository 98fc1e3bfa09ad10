import { invalidDiscount, type DiscountCheck } from '../../domain/plans/discount.ts'
import { planOffer, type Offering } from '../../domain/plans/plan-offer.ts'
import type { Plan } from '../../domain/plans/plan.ts'
import type { DesignGroup } from './design.tsx'
import { now, plans, statusOf, store } from './design-examples.ts'
import { drawn } from '../island.tsx'
import { UpgradeWords } from '../plans/plan-upgrade.tsx'

const discount: DiscountCheck = {
  isValid: true,
  valueType: 0,
  value: 20,
  planId: 'advanced-annual',
}

export const [coreMonthly, , advancedMonthly, advancedAnnual, proMonthly] = plans as [
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

const acts = { page: '/', talk: '/', state: '', flipped: '/', code: null }

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
  <div
    {...drawn('plan-card', {
      offer: planOffer(plan, offering(over), showsAnnual),
      discount: over?.discount ?? invalidDiscount,
      acts,
      isChosen,
    })}
  />
)

/** Specimens of plans and their offers. */
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
            <div
              {...drawn('plan-downgrade', {
                offer: planOffer(coreMonthly, offering(), false),
                current: advancedMonthly,
                acts,
                nextCycle: '1 Dec 2026',
              })}
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
