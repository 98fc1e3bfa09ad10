import type { Api } from '../../../domain/api/api-client.ts'
import type { Posted } from '../../../domain/posted.ts'
import { formatCount } from '../../../domain/figures.ts'
import type { PriceWay } from '../../../domain/platform/price-way.ts'
import type { PriceRule } from '../../../domain/prices/price-rule.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import type { TestProduct } from '../../../domain/products/product.ts'
import {
  everyProduct,
  isWay,
  postedRule,
  previewRule,
  readRule,
  ruleField,
} from '../../../domain/products/product-form.ts'
import {
  addedWords,
  clearedWords,
  removedWords,
} from '../../../domain/products/product-form-words.ts'
import { maxPicked, readPick } from '../../../domain/products/product-pick.ts'
import { outcomes } from '../../upstream/api-outcomes.ts'
import { productsOf } from '../draft-products.ts'
import { type Act, postedText, refused } from './draft-step.ts'
import { toast } from '../../page/toasts.ts'

/** What the buttons of the products step do. */
export const productActs: Record<string, Act> = {
  open: async ({ posted }) => ({ add: '', ...placeOf(posted) }),
  page: async (_, argument) => ({ page: argument }),
  variants: async ({ posted }, argument) => ({ ...placeOf(posted), of: argument }),
  add: async ({ request, reply, api, draft, posted }) => {
    const { picked } = readPick(posted)
    if (picked.length === 0) throw refused('picked', 'Tick at least one product.')
    if (picked.length > maxPicked)
      throw refused(
        'picked',
        `Add at most ${maxPicked} products at once; ${formatCount(picked.length)} are ticked.`,
      )
    const before = await productsOf(api, draft.id)
    const { totalCount } = await naming(
      picked.map(() => null),
      outcomes.upsertProducts(
        api.upsertProducts({
          query: { testDraftId: draft.id },
          body: { products: picked.map(productId => ({ productId })) },
        }),
      ),
    )
    toast(request, reply, addedWords(totalCount - before.length))
    return { page: String(Math.ceil(totalCount / 10)) }
  },
  preview: async ({ api, draft, posted }, of) => {
    const { priceWay } = await api.storeCapabilities({})
    const form = postedRule(posted, of)
    const products = (await productsOf(api, draft.id)).filter(
      ({ id }) => of === everyProduct || id === of,
    )
    if (products.length === 0) throw refused('products', 'Add a product first.')
    ruleThatWorks(of, readRule(form, products[0]!.currency), products, priceWay)
    return {
      ...placeOf(posted),
      rule: of,
      way: form.way,
      value: form.value.trim().slice(0, 40),
      ...(form.isCharm && { charm: '' }),
    }
  },
  apply: async ({ request, reply, api, draft, posted }, argument) => {
    const [of = '', way, charm, ...value] = argument.split(':')
    if (!isWay(way)) throw refused('rule', 'Look at the preview first.')
    const { priceWay } = await api.storeCapabilities({})
    const products = (await productsOf(api, draft.id)).filter(
      ({ id }) => of === everyProduct || id === of,
    )
    if (products.length === 0) throw refused('products', 'This product is no longer in the test.')
    const rule = ruleThatWorks(
      of,
      readRule({ way, value: value.join(':'), isCharm: charm === 'charm' }, products[0]!.currency),
      products,
      priceWay,
    )
    await upsertAll(api, draft.id, products, rule)
    toast(
      request,
      reply,
      of === everyProduct
        ? `The rule is applied to ${products.length === 1 ? 'the product' : `all ${formatCount(products.length)} products`}.`
        : `The rule is applied to ${products[0]!.title}.`,
    )
    return placeOf(posted)
  },
  check: async ({ posted }) => ({ checked: '', ...placeOf(posted) }),
  clear: async ({ request, reply, api, draft, posted }) => {
    toast(
      request,
      reply,
      clearedWords(await outcomes.product(api.clearProductErrors({ params: { id: draft.id } }))),
    )
    return placeOf(posted)
  },
  conflicted: async ({ request, reply, api, draft, posted }) => {
    toast(
      request,
      reply,
      removedWords(
        (await outcomes.product(api.removeConflictedProducts({ params: { id: draft.id } })))
          .removed,
      ),
    )
    return placeOf(posted)
  },
  remove: async ({ request, reply, api, draft, posted }, rowId) => {
    const product = (await productsOf(api, draft.id)).find(({ id }) => id === rowId)
    if (!product) throw refused('products', 'This product is no longer in the test.')
    await outcomes.upsertProducts(
      api.upsertProducts({
        query: { testDraftId: draft.id },
        body: { products: [{ productId: product.productId, remove: true }] },
      }),
    )
    toast(request, reply, `${product.title} was removed from the test.`)
    return placeOf(posted)
  },
}

/** The query for the page of products, and the page of product variants, that the form was on. */
export function placeOf(posted: Posted): Record<string, string> {
  const page = postedText(posted, 'productsPage'),
    variants = postedText(posted, 'productsVariants')
  return { ...(page && { page }), ...(variants && { of: variants }) }
}

/**
 * The rule, if it can be read and leaves every product with a price that the shop can charge.
 * Otherwise throws HttpProblem 400 at its field.
 */
function ruleThatWorks(
  of: string,
  read: ReturnType<typeof readRule>,
  products: readonly TestProduct[],
  priceWay: PriceWay,
): PriceRule {
  const problem =
    'problem' in read ? read.problem : previewRule(products, read.value, priceWay).problem
  if (problem !== null || 'problem' in read)
    throw refused(ruleField(of, 'value'), problem ?? 'This rule cannot be used.')
  return read.value
}

/**
 * Applies the rule to all of the products or to none. One batch takes a hundred; for more, asks the
 * shop first whether all of them still exist.
 */
async function upsertAll(
  api: Api,
  draftId: string,
  products: readonly TestProduct[],
  rule: PriceRule,
): Promise<void> {
  if (products.length > maxPicked) {
    const { problems } = await outcomes.product(
      api.validateTestProducts({ params: { id: draftId } }),
    )
    const gone = problems.find(({ cause }) => cause === 'productGone')
    if (gone) throw refused('products', `${gone.message} Remove it from the test, or clear errors.`)
  }
  for (let i = 0; i < products.length; i += maxPicked) {
    const batch = products.slice(i, i + maxPicked)
    await naming(
      batch.map(({ title }) => title),
      outcomes.upsertProducts(
        api.upsertProducts({
          query: { testDraftId: draftId },
          body: { products: batch.map(({ productId }) => ({ productId, rule })) },
        }),
      ),
    )
  }
}

/**
 * A refusal names a product by its place in the batch, which only we know. Throws it again with the
 * product's title.
 */
async function naming<T>(titles: readonly (string | null)[], answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof HttpProblem) || error.status >= 500 || error.fields.length === 0)
      throw error
    const [first] = error.fields,
      [, at = '', part] = /^products\.(\d+)\.(\w+)/.exec(first!.field) ?? []
    const title = titles[Number(at)] ?? null
    const message =
      part !== 'productId'
        ? first!.message
        : title === null
          ? 'One of the products is no longer in the shop. Nothing was added: search again.'
          : `${title} is no longer in the shop. Remove it from the test, or clear errors.`
    throw refused('products', message)
  }
}
