import type { Output } from '../../../domain/api/contract.ts'
import { formatCount } from '../../../domain/figures.ts'
import { formatMoney } from '../../../domain/money.ts'
import { paths } from '../../../domain/paths.ts'
import type { ShopProduct } from '../../../domain/products/product.ts'
import { isNamed } from '../../../domain/products/product-form.ts'
import {
  cursorText,
  type ProductPick,
  variantsText,
} from '../../../domain/products/product-pick.ts'
import { Icon } from '../../icons.tsx'
import { Close } from '../../modal.tsx'

export type ProductPickProps = {
  draftId: string
  pick: ProductPick
  /** Null while the shop does not answer. */
  found: Output<'searchProducts'> | null
  /**
   * A page of the product variants of the opened product; null when none is open, and when the
   * product is gone.
   */
  variants: Output<'productVariants'> | null
  /** Ids of products that the test already has. */
  inDraft: string[]
}
const formId = 'add-products-form'

/**
 * The dialog that adds products of the shop. Its form is sent with GET, so that search, pages and
 * ticks are in the address; adding posts it.
 */
export function AddProducts({ problem, ...props }: ProductPickProps & { problem: string | null }) {
  const { draftId, pick } = props,
    fresh = `${paths.draftProducts(draftId)}?fresh=1`
  return (
    <dialog id="add-products" open aria-labelledby="add-products-title">
      <form
        class="modal modal-wide"
        id={formId}
        method="get"
        action={paths.draft(draftId)}
        novalidate
      >
        <input type="hidden" name="step" value="products" />
        <input type="hidden" name="add" value="" />
        <h2 id="add-products-title">Add products</h2>
        {problem && (
          <p class="field-error" role="alert">
            <Icon name="warning" />
            {problem}
          </p>
        )}
        <div class="pick-search">
          <label class="search-field">
            <span class="visually-hidden">Title or handle</span>
            <Icon name="search" />
            <input
              type="search"
              name="search"
              value={pick.search}
              placeholder="Search by title"
              maxLength={200}
              autocomplete="off"
              autofocus
              hx-get={fresh}
              hx-trigger="input delay:250ms"
              hx-include={`#${formId}`}
              hx-target="#products-found"
              hx-select="#products-found"
              hx-swap="outerHTML show:none"
              hx-sync="this:replace"
            />
          </label>
          <button class="secondary" name="fresh" value="1">
            Search
          </button>
        </div>
        {/* Requests the count after each tick. A search must not replace it: that aborts it. */}
        <div
          hx-get={`${paths.draftProducts(draftId)}?count=1`}
          hx-trigger="change"
          hx-include={`#${formId}`}
          hx-target="#add-picked"
          hx-select="#add-picked"
          hx-swap="innerHTML strip:true show:none"
          hx-sync="this:replace"
        >
          <ProductsFound {...props} />
        </div>
        <footer>
          <Close href={`${paths.draft(draftId)}?step=products`}>Cancel</Close>
          <AddButton draftId={draftId} picked={pick.picked} />
        </footer>
      </form>
    </dialog>
  )
}

/**
 * With scripts it says how many products are ticked. Only the words are replaced, not the button,
 * so that no click is lost.
 */
export function AddButton({ draftId, picked }: { draftId: string; picked: readonly string[] }) {
  const told =
    picked.length === 0
      ? 'Add the ticked products'
      : picked.length === 1
        ? 'Add 1 product'
        : `Add ${formatCount(picked.length)} products`
  return (
    <button
      name="act"
      value="products.add:"
      formmethod="post"
      formaction={`${paths.draft(draftId)}?step=products`}
    >
      <span class="needs-script" id="add-picked">
        {told}
      </span>
      <span class="without-script">Add the ticked products</span>
    </button>
  )
}

/**
 * A page of the products that were found, with the ticks of other pages in hidden fields. It is
 * fetched again while the merchant types.
 */
export function ProductsFound({ pick, found, variants, inDraft }: ProductPickProps) {
  const { totalCount, items } = found ?? { totalCount: 0, items: [] }
  const here = new Set(items.map(({ id }) => id)),
    elsewhere = pick.picked.filter(id => !here.has(id) && !inDraft.includes(id))
  return (
    <div id="products-found" class="stack-tight" data-keeps-ticks="">
      {pick.at && <input type="hidden" name="at" value={cursorText(pick.at)} />}
      {elsewhere.map(id => (
        <input key={id} type="hidden" name="picked" value={id} />
      ))}
      <p class="note" role="status">
        {!found
          ? 'Your shop does not answer, so its products cannot be listed. Search again in a minute.'
          : totalCount === 0
            ? pick.search
              ? `No product of the shop is called “${pick.search}”.`
              : 'The shop has no products.'
            : `${formatCount(totalCount)} ${totalCount === 1 ? 'product' : 'products'} found.`}
        {elsewhere.length > 0 &&
          ` ${formatCount(elsewhere.length)} more ${elsewhere.length === 1 ? 'is' : 'are'} ticked on other pages.`}
      </p>
      {items.length > 0 && (
        <ul class="pick-list found-list">
          {items.map(item => (
            <FoundProduct
              key={item.id}
              item={item}
              isIn={inDraft.includes(item.id)}
              isPicked={pick.picked.includes(item.id)}
              page={pick.variants?.productId === item.id ? variants : null}
            />
          ))}
        </ul>
      )}
      {found && (found.hasPrevious || found.hasNext) && (
        <nav class="pager" aria-label="Pages of the shop’s products">
          {found.hasPrevious && found.startCursor && (
            <button
              class="link"
              name="at"
              value={cursorText({ direction: 'backward', cursor: found.startCursor })}
            >
              Previous
            </button>
          )}
          {found.hasNext && found.endCursor && (
            <button
              class="link"
              name="at"
              value={cursorText({ direction: 'forward', cursor: found.endCursor })}
            >
              Next
            </button>
          )}
        </nav>
      )}
    </div>
  )
}

const states = {
  active: '',
  draft: '; not for sale, a draft',
  archived: '; not for sale, archived',
} as const

function FoundProduct({
  item,
  isIn,
  isPicked,
  page,
}: {
  item: ShopProduct
  isIn: boolean
  isPicked: boolean
  page: Output<'productVariants'> | null
}) {
  const { id, title, image, minPrice, maxPrice, currency, variantCount, status, conflicts } = item
  const money =
    formatMoney(minPrice, currency) +
    (maxPrice > minPrice ? ` to ${formatMoney(maxPrice, currency)}` : '')
  return (
    <li class="found-product">
      <label class="check">
        {isIn ? (
          <Icon name="check" />
        ) : (
          <input type="checkbox" name="picked" value={id} checked={isPicked} aria-label={title} />
        )}
        {image ? (
          <img class="product-picture" src={image} alt="" width={36} height={36} loading="lazy" />
        ) : (
          <span class="product-picture" />
        )}
        <span class="pick-words">
          <b>{title}</b>
          <small>
            {money}; {formatCount(variantCount)} {variantCount === 1 ? 'variant' : 'variants'}
            {states[status]}
            {isIn && '; in this test'}
          </small>
        </span>
      </label>
      {variantCount > 1 &&
        (page ? (
          <button
            class="link"
            name="variants"
            value=""
            aria-label={`Hide the variants of ${title}`}
          >
            Hide variants
          </button>
        ) : (
          <button
            class="link"
            name="variants"
            value={variantsText(id)}
            aria-label={`Show the variants of ${title}`}
          >
            Show variants
          </button>
        ))}
      {conflicts.map(({ testId, title: test }) => (
        <p key={testId} class="field-error found-more">
          <Icon name="warning" />
          <span>
            In the running price test <a href={paths.report(testId)}>{test}</a>
          </span>
        </p>
      ))}
      {page && (
        <div class="found-more stack-tight">
          <ul class="found-variants">
            {page.items.map(variant => (
              <li key={variant.id}>
                <span>{isNamed(title, variant.title) ? variant.title : title}</span>
                <span class="num">{formatMoney(variant.price, currency)}</span>
              </li>
            ))}
          </ul>
          {(page.hasPrevious || page.hasNext) && (
            <div class="pager">
              {page.hasPrevious && page.startCursor && (
                <button
                  class="link"
                  name="variants"
                  value={variantsText(id, { direction: 'backward', cursor: page.startCursor })}
                >
                  Previous variants
                </button>
              )}
              {page.hasNext && page.endCursor && (
                <button
                  class="link"
                  name="variants"
                  value={variantsText(id, { direction: 'forward', cursor: page.endCursor })}
                >
                  Next variants
                </button>
              )}
            </div>
          )}
        </div>
      )}
    </li>
  )
}
