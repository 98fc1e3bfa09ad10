import type { Output } from '../../../domain/api/contract.ts'
import type { Posted } from '../../../domain/posted.ts'
import { formatCount } from '../../../domain/figures.ts'
import { paths } from '../../../domain/paths.ts'
import { productErrors, type TestProduct } from '../../../domain/products/product.ts'
import {
  everyProduct,
  type PricePreview,
  type RuleForm,
} from '../../../domain/products/product-form.ts'
import { totalWords } from '../../../domain/products/product-form-words.ts'
import { StepCard, type DraftEditorProps } from '../draft-editor.tsx'
import { problemAt, Problems } from '../draft-field.tsx'
import { ProductCard } from './draft-step-products-card.tsx'
import { RuleFields, RulePreview } from './draft-step-products-rule.tsx'
import { Icon } from '../../icons.tsx'
import { SwapControl } from '../swap-control.tsx'

export type ProductsStepProps = DraftEditorProps & {
  /** The page of the test's products that is shown, and all of them. */
  list: Output<'testProducts'>
  products: TestProduct[]
  /** The result of a check with the shop; null when there was none. */
  checked: Output<'validateTestProducts'> | null
  /** The rules in the fields, by the product's row or "all". */
  rules: ReadonlyMap<string, RuleForm>
  preview: { of: string; form: RuleForm; preview: PricePreview } | null
  /** Fields as they were posted, when this page was refused. */
  typed: Posted
  currency: string
  /**
   * The product whose product variants are not on their first page, and that page, counted from 0.
   */
  variantsOf: { rowId: string; page: number } | null
}

/** The test's products with the prices of both arms. */
export function ProductsStep(props: ProductsStepProps) {
  const { list, products, problems, variantsOf } = props
  if (products.length === 0) return <NoProducts {...props} />
  const asked = props.checked?.problems ?? []
  const hasErrors =
    products.some(({ errors }) => errors.length > 0) ||
    asked.some(({ cause }) => (productErrors as readonly string[]).includes(cause))
  const hasConflicts = products.some(({ conflicts }) => conflicts.length > 0)
  return (
    <>
      <StepCard>
        <input type="hidden" name="productsPage" value={list.page + 1} />
        {variantsOf && (
          <input
            type="hidden"
            name="productsVariants"
            value={`${variantsOf.rowId}:${variantsOf.page + 1}`}
          />
        )}
        <div class="products-head">
          <h2>{totalWords(products)}</h2>
          <button class="secondary" name="act" value="products.open:">
            <Icon name="plus" />
            Add products
          </button>
        </div>
        <Problems problems={problems} of={['products']} />
        <Checked {...props} />
        <div class="row">
          <button class="secondary small" name="act" value="products.check:">
            Check with the shop
          </button>
          {hasErrors && (
            <button class="secondary small" name="act" value="products.clear:">
              Clear errors
            </button>
          )}
          {hasConflicts && (
            <button class="secondary small" name="act" value="products.conflicted:">
              Remove conflicted
            </button>
          )}
        </div>
        <p class="note">
          The control keeps your shop’s prices. All prices are in {props.currency}; your shop
          converts them to its other currencies. Typing a price turns off that product’s rule.
          {props.store.priceWay === 'discount' &&
            ' Your shop can only lower prices, so no price of the variant is above the control’s.'}
        </p>
        <RuleOfAll {...props} />
        <SwapControl draft={props.draft} step="products" />
      </StepCard>
      {list.products.map(product => (
        <ProductCard key={product.id} {...props} product={product} />
      ))}
      {list.totalPages > 1 && <Pages {...props} />}
    </>
  )
}

function NoProducts({ problems }: ProductsStepProps) {
  return (
    <StepCard>
      <Problems problems={problems} of={['products']} />
      <div class="empty">
        <h2>No products in this test yet</h2>
        <p>
          Choose products of your shop. Both arms start with the shop’s prices; then set the
          variant’s prices by hand or by a rule.
        </p>
        <div class="row">
          <button name="act" value="products.open:">
            <Icon name="plus" />
            Add products
          </button>
        </div>
      </div>
    </StepCard>
  )
}

function Checked({ checked }: ProductsStepProps) {
  if (!checked) return null
  if (checked.valid)
    return (
      <p class="banner" data-tone="good" role="status">
        <Icon name="check" />
        <span>
          <strong>Checked with the shop.</strong> All products are in the shop at these prices and
          in no other running price test.
        </span>
      </p>
    )
  const whole = checked.problems.filter(({ id }) => id === null),
    n = checked.problems.length - whole.length
  return (
    <div class="banner" data-tone="warn" role="status">
      <Icon name="warning" />
      <div>
        <strong>Checked with the shop.</strong>{' '}
        {n > 0 && (
          <>
            {formatCount(n)} {n === 1 ? 'problem needs' : 'problems need'} fixing in the products
            below.
          </>
        )}
        {whole.map(({ cause, message }) => (
          <p key={cause}>{message}</p>
        ))}
      </div>
    </div>
  )
}

function RuleOfAll({
  draft,
  products,
  rules,
  preview,
  problems,
  currency,
  list,
}: ProductsStepProps) {
  const previewed = preview?.of === everyProduct ? preview : null
  return (
    <details
      class="template-choice"
      open={
        previewed !== null ||
        problemAt(problems, `rule.${everyProduct}`) !== undefined ||
        products.every(({ rule }) => rule === null)
      }
    >
      <summary>
        <span>
          <b>Set all prices by a rule</b>
        </span>
      </summary>
      <div class="stack">
        <RuleFields
          of={everyProduct}
          name="all products"
          form={rules.get(everyProduct)!}
          problems={problems}
          currency={currency}
        />
        {previewed && (
          <RulePreview
            {...previewed}
            currency={currency}
            cancel={`${paths.draft(draft.id)}?step=products&page=${list.page + 1}`}
            label={
              products.length === 1
                ? 'Apply to the product'
                : `Apply to all ${formatCount(products.length)} products`
            }
          />
        )}
      </div>
    </details>
  )
}

/** Turning the page saves first, so that what was typed is not lost, with or without scripts. */
function Pages({ list: { page, totalPages } }: ProductsStepProps) {
  return (
    <nav class="pager" aria-label="Pages of products">
      {page > 0 && (
        <button class="link" name="act" value={`products.page:${page}`}>
          Previous
        </button>
      )}
      {Array.from({ length: totalPages }, (_, i) =>
        i === page ? (
          <b key={i} aria-current="page">
            {i + 1}
          </b>
        ) : (
          <button
            key={i}
            class="link"
            name="act"
            value={`products.page:${i + 1}`}
            aria-label={`Page ${i + 1}`}
          >
            {i + 1}
          </button>
        ),
      )}
      {page + 1 < totalPages && (
        <button class="link" name="act" value={`products.page:${page + 2}`}>
          Next
        </button>
      )}
    </nav>
  )
}
