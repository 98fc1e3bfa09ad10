import { formatMoney, decimalMoney } from '../../../domain/money.ts'
import { paths } from '../../../domain/paths.ts'
import type { TestProduct, TestProductVariant } from '../../../domain/products/product.ts'
import { isNamed, priceField } from '../../../domain/products/product-form.ts'
import { changeWords, ruleWords } from '../../../domain/products/product-form-words.ts'
import { Problem } from '../draft-field.tsx'
import { RuleFields, RulePreview } from './draft-step-products-rule.tsx'
import type { ProductsStepProps } from './draft-step-products.tsx'
import { Icon } from '../../icons.tsx'

/** Product variants of one product that are shown at once. */
const perPage = 25

type CardProps = ProductsStepProps & { product: TestProduct }

/** One product: what is wrong with it, its product variants with both prices, and its rule. */
export function ProductCard(props: CardProps) {
  const { product, variantsOf } = props,
    { id, title, image, variants, currency } = product
  const pages = Math.ceil(variants.length / perPage),
    page = variantsOf?.rowId === id ? Math.min(variantsOf.page, pages - 1) : 0
  return (
    <section class="card" id={`product-${id}`} aria-labelledby={`product-${id}-title`}>
      <div class="card-head product-head">
        {image ? (
          <img class="product-picture" src={image} alt="" width={44} height={44} loading="lazy" />
        ) : (
          <span class="product-picture" />
        )}
        <div class="pick-words">
          <h3 id={`product-${id}-title`}>{title}</h3>
          <small id={`product-${id}-rule`} data-fresh>
            {ruleWords(product)}
          </small>
        </div>
        <button
          class="quiet small icon-only"
          name="act"
          value={`products.remove:${id}`}
          aria-label={`Remove ${title} from the test`}
          title="Remove from the test"
        >
          <Icon name="trash" />
        </button>
      </div>
      <Wrong {...props} />
      <div class="table-scroll">
        <table class="table price-table">
          <thead>
            <tr>
              <th scope="col">Product variant</th>
              <th scope="col" class="num">
                Control
              </th>
              <th scope="col" class="num">
                Variant, {currency}
              </th>
              <th scope="col" class="num">
                Change
              </th>
            </tr>
          </thead>
          <tbody>
            {variants.slice(page * perPage, (page + 1) * perPage).map(variant => (
              <PriceRow key={variant.id} {...props} variant={variant} />
            ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && (
        <nav class="pager card-foot" aria-label={`Product variants of ${title}`}>
          {page > 0 && (
            <button class="link" name="act" value={`products.variants:${id}:${page}`}>
              Previous
            </button>
          )}
          <span>
            {page * perPage + 1} to {Math.min((page + 1) * perPage, variants.length)} of{' '}
            {variants.length}
          </span>
          {page + 1 < pages && (
            <button class="link" name="act" value={`products.variants:${id}:${page + 2}`}>
              Next
            </button>
          )}
        </nav>
      )}
      <OwnRule {...props} />
    </section>
  )
}

/**
 * What is wrong with the product: its errors, the findings of a check with the shop, and other
 * running price tests that it is in.
 */
function Wrong({ product: { id, errors, conflicts }, checked }: CardProps) {
  const found = (checked?.problems ?? []).filter(
    problem => problem.id === id && problem.cause !== 'conflict',
  )
  const messages = [...new Set([...errors, ...found].map(({ message }) => message))]
  if (messages.length + conflicts.length === 0) return null
  return (
    <ul class="product-wrong plain-list">
      {messages.map(message => (
        <li key={message} class="field-error">
          <Icon name="warning" />
          <span>{message}</span>
        </li>
      ))}
      {conflicts.map(({ testId, title }) => (
        <li key={testId} class="field-error">
          <Icon name="warning" />
          <span>
            In the running price test <a href={paths.report(testId)}>{title}</a>. A product can be
            in one at a time.
          </span>
        </li>
      ))}
    </ul>
  )
}

function PriceRow({
  product: { id, title, currency },
  variant,
  problems,
  typed,
}: CardProps & { variant: TestProductVariant }) {
  const name = priceField(id, variant.id),
    problem = problems.find(({ field }) => field === name),
    field = name.replaceAll('.', '-')
  const value = typed[name],
    label = isNamed(title, variant.title) ? variant.title : title
  return (
    <tr>
      <th scope="row">
        {label}
        {variant.price !== variant.controlPrice && (
          <span class="cell-sub">{formatMoney(variant.price, currency)} in the shop now</span>
        )}
      </th>
      <td class="num">{formatMoney(variant.controlPrice, currency)}</td>
      <td class="num" data-field={name}>
        <input
          class="price-input"
          id={field}
          name={name}
          inputMode="decimal"
          autocomplete="off"
          value={typeof value === 'string' ? value : decimalMoney(variant.variantPrice, currency)}
          aria-label={`Price of ${isNamed(title, variant.title) ? `${title}, ${variant.title}` : title} in the variant`}
          aria-invalid={problem ? 'true' : undefined}
          aria-describedby={problem ? `${field}-problem` : undefined}
        />
        {problem && <Problem id={`${field}-problem`} message={problem.message} />}
      </td>
      <td class="num" id={`${field}-change`} data-fresh>
        {changeWords(variant.controlPrice, variant.variantPrice)}
      </td>
    </tr>
  )
}

function OwnRule({
  draft,
  product: { id, title, currency },
  rules,
  preview,
  problems,
  list,
}: CardProps) {
  const form = rules.get(id),
    previewed = preview?.of === id ? preview : null
  if (!form) return null
  const isWrong = problems.some(({ field }) => field.startsWith(`rule.${id}.`))
  return (
    <details class="template-choice product-rule" open={previewed !== null || isWrong}>
      <summary>
        <span>Rule for this product</span>
      </summary>
      <div class="stack">
        <RuleFields of={id} name={title} form={form} problems={problems} currency={currency} />
        {previewed && (
          <RulePreview
            {...previewed}
            currency={currency}
            label={`Apply to ${title}`}
            cancel={`${paths.draft(draft.id)}?step=products&page=${list.page + 1}`}
          />
        )}
      </div>
    </details>
  )
}
