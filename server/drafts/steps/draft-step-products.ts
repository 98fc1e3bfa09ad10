import { h } from 'preact'
import type { Capabilities } from '../../../domain/platform/capabilities.ts'
import { kindLack } from '../../../domain/platform/kind-needs.ts'
import {
  chargeProblem,
  everyProduct,
  formOfRule,
  isWay,
  type PricePreview,
  postedPrices,
  postedRule,
  previewRule,
  readRule,
  ruleField,
  type RuleForm,
} from '../../../domain/products/product-form.ts'
import { pricesSummary } from '../../../domain/products/product-form-words.ts'
import { readPick } from '../../../domain/products/product-pick.ts'
import type { Api } from '../../../domain/api/api-client.ts'
import type { TestDraft } from '../../../domain/drafts/draft.ts'
import { HttpProblem, type FieldProblem } from '../../../domain/problem.ts'
import type { TestProduct } from '../../../domain/products/product.ts'
import { StepCard } from '../../../views/drafts/draft-editor.tsx'
import { Problems } from '../../../views/drafts/draft-field.tsx'
import { AddProducts } from '../../../views/drafts/steps/draft-step-products-add.tsx'
import { ProductsStep } from '../../../views/drafts/steps/draft-step-products.tsx'
import { outcomes } from '../../upstream/api-outcomes.ts'
import { savedBy } from '../draft-save.ts'
import { fieldsOf, pickProps, productsOf } from '../draft-products.ts'
import { keptPrices, restorePrices } from '../draft-kept.ts'
import { placeOf, productActs } from './draft-step-products-acts.ts'
import { postedText, type ShowContext, type Shown, type StepModule } from './draft-step.ts'
import { queryOf } from '../../http/query.ts'
import { storeOf } from '../../session/visit.ts'

/** Products on a page of the step. */
const perPage = 10

/** The step that chooses the tested products and their prices in the variant. */
export const productsStep: StepModule = {
  show: context =>
    unlessClosed(
      () => shown(context),
      message => {
        const problems = [{ field: 'products', message }]
        return { stage: h(StepCard, null, h(Problems, { problems, of: ['products'] })) }
      },
    ),
  acts: {
    ...productActs,
    restore: async (context, argument) => {
      await restorePrices(context, argument)
      return placeOf(context.posted)
    },
  },
  place: placeOf,
  part: async ({ api, draft, posted }) => {
    if (!hasPrices(posted)) return { update: {}, problems: [] }
    return unlessClosed(
      async () => {
        const { changes, problems } = postedPrices(await productsOf(api, draft.id), posted, {
          isWhole: savedBy(posted) !== undefined,
          way: (await api.storeCapabilities({})).priceWay,
        })
        const products = changes.map(({ rowId, prices }) => ({ id: rowId, prices }))
        return { update: products.length > 0 ? { products } : {}, problems }
      },
      message => ({ update: {}, problems: [{ field: 'products', message }] }),
    )
  },
}

const hasPrices = (posted: Record<string, unknown>): boolean =>
  Object.keys(posted).some(name => name.startsWith('prices.'))

async function shown({ request, api, draft, posted, props, reads }: ShowContext): Promise<Shown> {
  const params = { id: draft.id },
    query = queryOf(request),
    { currency } = storeOf(request)
  const wanted = Number(postedText(posted, 'productsPage') || query.get('page') || 1) - 1
  const products = await productsOf(api, draft.id)
  const last = Math.max(0, Math.ceil(products.length / perPage) - 1)
  const page = Number.isInteger(wanted) ? Math.min(Math.max(wanted, 0), last) : 0
  const [list, checked] = await Promise.all([
    outcomes.product(api.testProducts({ params, query: { page, limit: perPage } })),
    query.has('checked')
      ? reads.orElse(outcomes.product(api.validateTestProducts({ params })), null)
      : null,
  ])
  const rules = new Map(
    [...list.products, null].map(product => [product?.id ?? everyProduct, ruleFormOf(product)]),
  )
  const isAdding = query.has('add') || String(posted['act']).startsWith('products.add')
  return {
    kept: keptPrices(products),
    stage: h(ProductsStep, {
      ...props,
      list,
      products,
      checked,
      rules,
      preview: previewed(),
      typed: posted,
      currency: products[0]?.currency ?? currency,
      variantsOf: variantPage(postedText(posted, 'productsVariants') || query.get('of')),
    }),
    ...(isAdding && {
      dialogs: h(AddProducts, {
        ...(await pickProps(
          request,
          api,
          draft.id,
          readPick(posted['act'] ? posted : fieldsOf(query)),
          products,
        )),
        problem:
          props.problems.find(({ field }) => field === 'picked' || field === 'products')?.message ??
          null,
      }),
    }),
  }

  /** The price rule as typed, as the query has it, or as the product has it stored. */
  function ruleFormOf(product: TestProduct | null): RuleForm {
    const of = product?.id ?? everyProduct,
      way = query.get('way')
    if (posted[ruleField(of, 'way')] !== undefined) return postedRule(posted, of)
    if (query.get('rule') === of && isWay(way))
      return { way, value: query.get('value') ?? '', isCharm: query.has('charm') }
    return formOfRule(product?.rule ?? null, product?.currency ?? currency)
  }

  function previewed(): { of: string; form: RuleForm; preview: PricePreview } | null {
    const of = query.get('rule') ?? '',
      form = rules.get(of)
    const meant = of === everyProduct ? products : products.filter(({ id }) => id === of)
    if (!form || meant.length === 0 || posted['act']) return null
    const rule = readRule(form, meant[0]!.currency)
    return 'problem' in rule
      ? null
      : { of, form, preview: previewRule(meant, rule.value, props.store.priceWay) }
  }
}

/**
 * Reads "ROW:2": which page of a product's product variants to show. The text counts from 1, `page`
 * from 0. Null for any other text.
 */
function variantPage(text: string | null): { rowId: string; page: number } | null {
  const [, rowId, page] = /^([\w-]{1,64}):([1-9]\d{0,3})$/.exec(text ?? '') ?? []
  return rowId ? { rowId, page: Number(page) - 1 } : null
}

/**
 * Problems of a price test's products that the editor can see itself. What only the shop knows is
 * checked before the launch.
 */
export async function openProducts(
  api: Api,
  draft: TestDraft,
  store: Capabilities,
): Promise<FieldProblem[]> {
  if (draft.kind !== 'Price') return []
  return unlessClosed(
    async () => {
      const products = await productsOf(api, draft.id),
        at = (message: string) => [{ field: 'products', message }]
      if (products.length === 0) return at('Add at least one product.')
      const broken = products.find(
        ({ errors, conflicts }) => errors.length > 0 || conflicts.length > 0,
      )
      if (broken) return at(`${broken.title} has errors or conflicts.`)
      const lack = kindLack('Price', store)
      if (lack) return at(lack.reason)
      const refused = products
        .flatMap(product =>
          product.variants.map(variant =>
            chargeProblem(store.priceWay, product, variant, variant.variantPrice),
          ),
        )
        .find(message => message !== null)
      if (refused) return at(refused)
      const isSame = products.every(({ variants }) =>
        variants.every(({ controlPrice, variantPrice }) => controlPrice === variantPrice),
      )
      return isSame
        ? at('Change at least one price. Otherwise control and variant are the same.')
        : []
    },
    message => [{ field: 'products', message }],
  )
}

/** One line about the products, for the review; empty for a test of another kind. */
export const reviewOfProducts = async (api: Api, draft: TestDraft): Promise<string> =>
  draft.kind === 'Price'
    ? unlessClosed(
        async () => pricesSummary(await productsOf(api, draft.id)),
        message => message,
      )
    : ''

/**
 * When the store has no price testing (403), calls `closed` with the message (requirements 25.1),
 * so that the rest of the draft still works.
 */
async function unlessClosed<T>(ask: () => Promise<T>, closed: (message: string) => T): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 403) return closed(error.message)
    throw error
  }
}
