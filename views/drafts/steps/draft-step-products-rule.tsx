import { formatCount } from '../../../domain/figures.ts'
import type { FieldProblem } from '../../../domain/problem.ts'
import {
  type PricePreview,
  ruleField,
  type RuleForm,
  ruleWays,
  type RuleWay,
  variantName,
} from '../../../domain/products/product-form.ts'
import { changeWords, charmEnd, priceStep } from '../../../domain/products/product-form-words.ts'
import { DraftField } from '../draft-field.tsx'

/** The most lines of a preview; a test may have thousands of prices. */
const shown = 60

type FieldsProps = {
  of: string
  name: string
  form: RuleForm
  problems: readonly FieldProblem[]
  currency: string
}
/**
 * The fields of a rule that computes the variant's prices from the shop's. It changes no price
 * before its preview is applied.
 */
export function RuleFields({ of, name, form, problems, currency }: FieldsProps) {
  const end = charmEnd(currency)
  return (
    <fieldset class="rule-fields">
      <legend class="visually-hidden">Price rule for {name}</legend>
      <DraftField
        name={ruleField(of, 'way')}
        label="Rule"
        problems={problems}
        control={bound => (
          <select {...bound}>
            {(Object.keys(ruleWays) as RuleWay[]).map(way => (
              <option key={way} value={way} selected={way === form.way}>
                {ruleWays[way]}
              </option>
            ))}
          </select>
        )}
      />
      <DraftField
        name={ruleField(of, 'value')}
        label={`Percent or ${currency}`}
        problems={problems}
        control={bound => (
          <input
            {...bound}
            inputMode="decimal"
            autocomplete="off"
            value={form.value}
            maxLength={40}
            placeholder="10"
          />
        )}
      />
      {end && (
        <label class="check">
          <input type="checkbox" name={ruleField(of, 'charm')} value="on" checked={form.isCharm} />
          Round to {end}
        </label>
      )}
      <button class="secondary" name="act" value={`products.preview:${of}`}>
        Preview
      </button>
    </fieldset>
  )
}

type PreviewProps = {
  of: string
  form: RuleForm
  preview: PricePreview
  currency: string
  label: string
  cancel: string
}
/** The prices that the rule would give, with the button that applies it. */
export function RulePreview({
  of,
  form,
  preview: { changes, problem },
  currency,
  label,
  cancel,
}: PreviewProps) {
  return (
    <section
      class="stack-tight price-preview"
      id="price-preview"
      aria-labelledby="price-preview-title"
    >
      <h4 id="price-preview-title">New prices</h4>
      <ul class="check-list">
        {changes.slice(0, shown).map(({ product, variant, price }) => (
          <li key={`${product} ${variant.id}`}>
            <span class="pick-words">{variantName(product, variant.title)}</span>
            <span class="num">{priceStep(variant.price, price, currency)}</span>
            <span class="num muted">{changeWords(variant.price, price)}</span>
          </li>
        ))}
      </ul>
      {changes.length > shown && (
        <p class="note">And {formatCount(changes.length - shown)} more.</p>
      )}
      {problem && <p class="field-error">{problem}</p>}
      <div class="row">
        {!problem && (
          <button
            name="act"
            value={`products.apply:${of}:${form.way}:${form.isCharm ? 'charm' : ''}:${form.value}`}
          >
            {label}
          </button>
        )}
        <a class="button secondary" href={cancel}>
          Cancel
        </a>
      </div>
    </section>
  )
}
