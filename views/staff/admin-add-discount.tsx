import { discountTypes } from '../../domain/plans/discount.ts'
import { paths } from '../../domain/paths.ts'
import { formatLimit, type Plan } from '../../domain/plans/plan.ts'
import { priceText } from '../../domain/plans/plan-price.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { DraftField } from '../drafts/draft-field.tsx'

/** The form as it was typed. */
export type DiscountForm = {
  code: string
  valueType: string
  value: string
  planId: string
  expiresAt: string
  maxStores: string
}
export const emptyDiscount: DiscountForm = {
  code: '',
  valueType: String(discountTypes.Percentage),
  value: '',
  planId: '',
  expiresAt: '',
  maxStores: '',
}

export const AddDiscount = ({
  form,
  plans,
  problems,
  today,
}: {
  form: DiscountForm
  plans: Plan[]
  problems: FieldProblem[]
  /** YYYY-MM-DD */ today: string
}) => (
  <>
    <div class="page-head">
      <a class="back-link" href={paths.admin('plan-discounts/codes')}>
        Discount codes
      </a>
      <h1>Add a discount code</h1>
    </div>
    <section class="card" aria-label="New discount code">
      <form
        class="card-body stack form-narrow"
        method="post"
        action={paths.admin('plan-discounts/add')}
      >
        <DraftField
          name="code"
          label="Code"
          problems={problems}
          help="3 to 32 letters, digits, hyphens or underscores. Merchants may write it in any case."
          control={bound => (
            <input
              {...bound}
              required
              maxLength={32}
              value={form.code}
              autocomplete="off"
              autocapitalize="characters"
              spellcheck={false}
            />
          )}
        />
        <div class="row row-fields">
          <DraftField
            name="valueType"
            label="Takes off"
            problems={problems}
            control={bound => (
              <select {...bound}>
                <option
                  value={discountTypes.Percentage}
                  selected={form.valueType === String(discountTypes.Percentage)}
                >
                  Percent of the price
                </option>
                <option
                  value={discountTypes.Fixed}
                  selected={form.valueType === String(discountTypes.Fixed)}
                >
                  Dollars of the price
                </option>
              </select>
            )}
          />
          <DraftField
            name="value"
            label="How much"
            problems={problems}
            control={bound => (
              <input
                {...bound}
                required
                inputMode="numeric"
                value={form.value}
                autocomplete="off"
                class="input-short"
              />
            )}
          />
        </div>
        <DraftField
          name="planId"
          label="Plan"
          problems={problems}
          help="For annual plans, the amount is taken off the yearly price."
          control={bound => (
            <select {...bound}>
              <option value="">All plans</option>
              {groupsOf(plans).map(([title, own]) => (
                <optgroup key={title} label={title}>
                  {own.map(plan => (
                    <option key={plan.id} value={plan.id} selected={plan.id === form.planId}>
                      {planText(plan)}
                    </option>
                  ))}
                </optgroup>
              ))}
            </select>
          )}
        />
        <DraftField
          name="expiresAt"
          label="Last day (optional)"
          problems={problems}
          help="It can be used until the end of this day, UTC. Leave it empty for no end date."
          control={bound => (
            <input {...bound} type="date" min={today} value={form.expiresAt} class="input-date" />
          )}
        />
        <DraftField
          name="maxStores"
          label="Stores that may use it (optional)"
          problems={problems}
          help="Leave it empty for no limit. Each store may use a code once."
          control={bound => (
            <input
              {...bound}
              inputMode="numeric"
              value={form.maxStores}
              autocomplete="off"
              class="input-short"
            />
          )}
        />
        <div class="row">
          <button>Add the code</button>
          <a class="button secondary" href={paths.admin('plan-discounts/codes')}>
            Cancel
          </a>
        </div>
      </form>
    </section>
  </>
)

/**
 * The offered plans, grouped by title. Plans that are agreed in person are left out, because a code
 * would not apply to them.
 */
const groupsOf = (plans: Plan[]): [title: string, plans: Plan[]][] => [
  ...Map.groupBy(
    plans.filter(plan => plan.available && !plan.requireAppointment),
    ({ title }) => title,
  ),
]
const planText = (plan: Plan): string =>
  `${plan.title} ${formatLimit(plan.limit)}, ${plan.isAnnual ? 'annually' : 'monthly'}, ${priceText(plan)} a month`
