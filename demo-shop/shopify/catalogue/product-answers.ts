import { decimalMoney, minorFromDecimal } from '../../../domain/money.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import type { ProductVariant } from '../../catalogue/product.ts'
import type { CatalogueProduct } from '../../catalogue/products-json.ts'
import { shop } from '../../shop.ts'
import { connection, type PageArgs } from '../api/connection.ts'
import { gid, idIn, requiredId } from '../api/gid.ts'
import { counted, sorted } from '../api/lists.ts'
import { moneyIn } from '../api/money.ts'
import { searchFor } from '../api/search-query.ts'
import { metafieldAnswers } from '../app/metafield-answers.ts'
import type { Answers, FaceParts } from '../face-parts.ts'

export type ListArgs = PageArgs & { query?: string | null; sortKey?: string }
const money = (minor: number): string => decimalMoney(minor, shop.currency)
const moneyV2 = (minor: number) => moneyIn(minor, shop.currency)

/** Products and their variants: read, searched, priced, and given a template. */
export function productAnswers(parts: FaceParts) {
  const { state, origin } = parts
  const { catalogue, assignments } = state

  const imageOf = (src: string, altText: string) => ({
    __typename: 'Image',
    url: origin + src,
    altText,
  })
  const variantAnswer = (entry: CatalogueProduct, variant: ProductVariant, at: number): object => {
    const { product, variantUpdatedAt } = entry
    const id = gid('ProductVariant', variant.id)
    const hasOptions = variant.options.length > 0
    return {
      __typename: 'ProductVariant',
      ...metafieldAnswers(parts, id),
      id,
      legacyResourceId: String(variant.id),
      title: hasOptions ? variant.title : 'Default Title',
      displayName: hasOptions ? `${product.title} - ${variant.title}` : product.title,
      sku: String(variant.id),
      barcode: null,
      price: money(variant.price),
      // The shop has no sales with a price struck out.
      compareAtPrice: null,
      position: at + 1,
      taxable: true,
      availableForSale: entry.status === 'active',
      inventoryQuantity: 100,
      inventoryPolicy: 'CONTINUE',
      createdAt: product.createdAt,
      updatedAt: variantUpdatedAt(variant.id),
      selectedOptions: hasOptions
        ? product.options.map(({ name }, i) => ({ name, value: variant.options[i] }))
        : [{ name: 'Title', value: 'Default Title' }],
      image: () => imageOf(variant.picture, product.title),
      product: () => productAnswer(entry),
    }
  }
  const variantsOf = (entry: CatalogueProduct, page: PageArgs) =>
    connection(
      entry.product.variants.map((variant, at) => ({ variant, at })),
      page,
      ({ variant }) => String(variant.id),
      ({ variant, at }) => variantAnswer(entry, variant, at),
    )
  const productAnswer = (entry: CatalogueProduct): object => {
    const { product, status } = entry
    const updatedAt = changedAt(entry)
    const id = gid('Product', product.id)
    const prices = product.variants.map(({ price }) => price)
    const [picture] = product.pictures
    return {
      __typename: 'Product',
      ...metafieldAnswers(parts, id),
      id,
      legacyResourceId: String(product.id),
      title: product.title,
      handle: product.handle,
      status: status.toUpperCase(),
      vendor: shop.name,
      productType: product.collection,
      tags: [],
      isGiftCard: false,
      requiresSellingPlan: false,
      description: product.description,
      descriptionHtml: `<p>${product.description}</p>`,
      templateSuffix: () => assignments.suffixOf('product', product.id) || null,
      createdAt: product.createdAt,
      updatedAt,
      publishedAt: status === 'active' ? product.createdAt : null,
      onlineStoreUrl: status === 'active' ? origin + product.url : null,
      onlineStorePreviewUrl: origin + product.url,
      hasOnlyDefaultVariant: product.options.length === 0,
      totalVariants: product.variants.length,
      variantsCount: { count: product.variants.length, precision: 'EXACT' },
      featuredMedia: picture
        ? {
            __typename: 'MediaImage',
            id: gid('MediaImage', product.id),
            alt: picture.alt,
            mediaContentType: 'IMAGE',
            status: 'READY',
            image: imageOf(picture.src, picture.alt),
            preview: { image: imageOf(picture.src, picture.alt), status: 'READY' },
          }
        : null,
      options: () =>
        product.options.map(({ name, values }, i) => ({ name, values, position: i + 1 })),
      priceRangeV2: {
        minVariantPrice: moneyV2(Math.min(...prices)),
        maxVariantPrice: moneyV2(Math.max(...prices)),
      },
      variants: (page: PageArgs) => variantsOf(entry, page),
    }
  }
  /** When anything about a product changed, its template too. */
  const changedAt = ({ product, updatedAt }: CatalogueProduct): string => {
    const assigned = assignments.assignedAt('product', product.id)
    return assigned !== null && assigned > updatedAt ? assigned : updatedAt
  }
  const one = (id: string): object | null => {
    const entry = catalogue.byId(idIn('Product', id) ?? '')
    return entry ? productAnswer(entry) : null
  }
  const variantById = (id: string): object | null => {
    const wanted = Number(idIn('ProductVariant', id))
    for (const entry of catalogue.all()) {
      const at = entry.product.variants.findIndex(variant => variant.id === wanted)
      if (at >= 0) return variantAnswer(entry, entry.product.variants[at]!, at)
    }
    return null
  }
  const found = (query: string | null | undefined): CatalogueProduct[] =>
    catalogue.all().filter(
      searchFor<CatalogueProduct>(
        query,
        {
          id: ({ product }) => product.id,
          title: ({ product }) => product.title,
          handle: ({ product }) => product.handle,
          status: ({ status }) => status,
          product_type: ({ product }) => product.collection,
          created_at: ({ product }) => new Date(product.createdAt),
          updated_at: entry => new Date(changedAt(entry)),
          template_suffix: ({ product }) => assignments.suffixOf('product', product.id),
        },
        ({ product }) => `${product.title} ${product.handle}`,
      ),
    )
  const keys: Record<string, (entry: CatalogueProduct) => string | number> = {
    ID: ({ product }) => product.id,
    TITLE: ({ product }) => product.title.toLowerCase(),
    RELEVANCE: ({ product }) => product.id,
    CREATED_AT: ({ product }) => product.createdAt,
    UPDATED_AT: changedAt,
    PRODUCT_TYPE: ({ product }) => product.collection,
  }

  type VariantInput = { id?: string | null; price?: string | null; compareAtPrice?: string | null }
  const setPrices = ({
    productId,
    variants,
    allowPartialUpdates,
  }: {
    productId: string
    variants: VariantInput[]
    allowPartialUpdates: boolean
  }) => {
    const entry = catalogue.byId(requiredId('Product', productId))
    const none = (code: string, message: string, field: string[] | null) => ({
      product: entry ? productAnswer(entry) : null,
      productVariants: null,
      userErrors: [{ code, message, field }],
    })
    if (!entry) return none('PRODUCT_DOES_NOT_EXIST', 'Product does not exist', ['productId'])
    const wrong: { code: string; message: string; field: string[] }[] = []
    const prices: { variantId: string; price: number }[] = []
    for (const [at, { id, price }] of variants.entries()) {
      const problem = (code: string, message: string, field: string) =>
        void wrong.push({ code, message, field: ['variants', String(at), field] })
      const variantId = idIn('ProductVariant', id ?? '')
      const minor = price == null ? null : minorFromDecimal(String(price), shop.currency)
      if (variantId === null) problem('PRODUCT_VARIANT_ID_MISSING', 'Variant ID is missing', 'id')
      else if (!entry.product.variants.some(variant => String(variant.id) === variantId))
        problem('PRODUCT_VARIANT_DOES_NOT_EXIST', 'Product variant does not exist', 'id')
      else if (price != null && (minor === null || minor < 1))
        problem('INVALID_INPUT', 'Price is not valid', 'price')
      else if (minor !== null) prices.push({ variantId, price: minor })
    }
    if (wrong.length > 0 && !allowPartialUpdates)
      return { ...none('', '', null), userErrors: wrong }
    try {
      if (prices.length > 0) catalogue.setPrices(String(entry.product.id), prices)
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error
      return none('INVALID_INPUT', error.message, ['variants'])
    }
    const now = catalogue.byId(String(entry.product.id))!
    return {
      product: productAnswer(now),
      productVariants: variants.flatMap(({ id }) => {
        const at = now.product.variants.findIndex(
          ({ id: own }) => gid('ProductVariant', own) === id,
        )
        return at < 0 ? [] : [variantAnswer(now, now.product.variants[at]!, at)]
      }),
      userErrors: wrong,
    }
  }

  const answers: Answers = {
    query: {
      product: ({ id }: { id: string }) => one(id),
      productVariant: ({ id }: { id: string }) => variantById(id),
      products: ({ query, sortKey = 'ID', ...page }: ListArgs) =>
        connection(
          sorted(found(query), keys, sortKey, keys['ID']!),
          page,
          ({ product }) => String(product.id),
          productAnswer,
        ),
      productsCount: ({ query, limit }: { query?: string | null; limit?: number | null }) =>
        counted(found(query).length, limit),
    },
    mutation: {
      productVariantsBulkUpdate: setPrices,
      productUpdate: ({
        product,
      }: {
        product?: { id?: string; templateSuffix?: string | null } | null
      }) => {
        const entry = catalogue.byId(requiredId('Product', product?.id ?? ''))
        if (!entry)
          return {
            product: null,
            userErrors: [{ field: ['product', 'id'], message: 'Product does not exist' }],
          }
        const { id } = entry.product
        if (product?.templateSuffix !== undefined)
          assignments.assign([
            { type: 'product', id: String(id), suffix: product.templateSuffix ?? '' },
          ])
        return { product: productAnswer(catalogue.byId(String(id))!), userErrors: [] }
      },
    },
  }
  return { answers, nodes: { Product: one, ProductVariant: variantById }, one, variantById }
}
