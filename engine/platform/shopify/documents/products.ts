// Made from products.graphql by npm run shopify:types. Do not edit.
import type { ShopifyDocument } from './answer-shape.ts'

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type ProductStatus =
  | 'ACTIVE'
  | 'ARCHIVED'
  | 'DRAFT'
  | 'UNLISTED';

export type ProductVariantsBulkInput = {
  id?: string | null | undefined;
  price?: string | null | undefined;
};

export type ProductsQueryVariables = Exact<{
  query?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ProductsQuery = { products: { pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null }, nodes: Array<{ id: string, title: string, handle: string, status: ProductStatus, createdAt: string, updatedAt: string, variantsCount: { count: number } | null, featuredMedia: { preview: { image: { url: string } | null } | null } | null, priceRangeV2: { minVariantPrice: { amount: string, currencyCode: string }, maxVariantPrice: { amount: string } } }> } };

export type ProductVariantsQueryVariables = Exact<{
  id: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ProductVariantsQuery = { product: { priceRangeV2: { minVariantPrice: { currencyCode: string } }, variants: { pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null }, nodes: Array<{ id: string, title: string, price: string, compareAtPrice: string | null, createdAt: string, updatedAt: string }> } } | null };

export type ProductsByIdQueryVariables = Exact<{
  ids: Array<string>;
}>;


export type ProductsByIdQuery = { nodes: Array<
    | { __typename: 'AppInstallation' }
    | { __typename: 'AppSubscription' }
    | { __typename: 'Article' }
    | { __typename: 'Blog' }
    | { __typename: 'CartTransform' }
    | { __typename: 'Collection' }
    | { __typename: 'ConsentPolicy' }
    | { __typename: 'DiscountNode' }
    | { __typename: 'Domain' }
    | { __typename: 'LineItem' }
    | { __typename: 'Market' }
    | { __typename: 'MarketCatalog' }
    | { __typename: 'MediaImage' }
    | { __typename: 'Metafield' }
    | { __typename: 'OnlineStoreTheme' }
    | { __typename: 'Order' }
    | { __typename: 'OrderAdjustment' }
    | { __typename: 'Page' }
    | { __typename: 'PriceList' }
    | { __typename: 'Product', id: string, title: string, handle: string, status: ProductStatus, createdAt: string, updatedAt: string, variants: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, title: string, price: string, compareAtPrice: string | null, createdAt: string, updatedAt: string }> }, variantsCount: { count: number } | null, featuredMedia: { preview: { image: { url: string } | null } | null } | null, priceRangeV2: { minVariantPrice: { amount: string, currencyCode: string }, maxVariantPrice: { amount: string } } }
    | { __typename: 'ProductVariant' }
    | { __typename: 'Refund' }
    | { __typename: 'Shop' }
    | { __typename: 'ShopAddress' }
    | { __typename: 'UrlRedirect' }
    | { __typename: 'WebPixel' }
   | null> };

export type ProductCountQueryVariables = Exact<{
  query?: string | null | undefined;
}>;


export type ProductCountQuery = { productsCount: { count: number } | null };

export type SetPricesMutationVariables = Exact<{
  productId: string;
  variants: Array<ProductVariantsBulkInput>;
}>;


export type SetPricesMutation = { productVariantsBulkUpdate: { userErrors: Array<{ code: string | null, field: Array<string> | null, message: string }> } | null };

export type ProductFactsFragment = { id: string, title: string, handle: string, status: ProductStatus, createdAt: string, updatedAt: string, variantsCount: { count: number } | null, featuredMedia: { preview: { image: { url: string } | null } | null } | null, priceRangeV2: { minVariantPrice: { amount: string, currencyCode: string }, maxVariantPrice: { amount: string } } };

export type VariantFactsFragment = { id: string, title: string, price: string, compareAtPrice: string | null, createdAt: string, updatedAt: string };

export const products: ShopifyDocument<ProductsQuery, ProductsQueryVariables> = {
  name: 'Products',
  kind: 'query',
  text: "query Products($query: String, $first: Int, $after: String, $last: Int, $before: String) { products( first: $first after: $after last: $last before: $before query: $query sortKey: TITLE ) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { ...ProductFacts } } } fragment ProductFacts on Product { id title handle status createdAt updatedAt variantsCount { count } featuredMedia { preview { image { url } } } priceRangeV2 { minVariantPrice { amount currencyCode } maxVariantPrice { amount } } }",
  shape: {"products":{"pageInfo":{"hasNextPage":"b","hasPreviousPage":"b","startCursor":["?","s"],"endCursor":["?","s"]},"nodes":["*",{"id":"s","title":"s","handle":"s","status":"s","createdAt":"s","updatedAt":"s","variantsCount":["?",{"count":"n"}],"featuredMedia":["?",{"preview":["?",{"image":["?",{"url":"s"}]}]}],"priceRangeV2":{"minVariantPrice":{"amount":"s","currencyCode":"s"},"maxVariantPrice":{"amount":"s"}}}]}},
}
export const productVariants: ShopifyDocument<ProductVariantsQuery, ProductVariantsQueryVariables> = {
  name: 'ProductVariants',
  kind: 'query',
  text: "query ProductVariants($id: ID!, $first: Int, $after: String, $last: Int, $before: String) { product(id: $id) { priceRangeV2 { minVariantPrice { currencyCode } } variants(first: $first, after: $after, last: $last, before: $before) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { ...VariantFacts } } } } fragment VariantFacts on ProductVariant { id title price compareAtPrice createdAt updatedAt }",
  shape: {"product":["?",{"priceRangeV2":{"minVariantPrice":{"currencyCode":"s"}},"variants":{"pageInfo":{"hasNextPage":"b","hasPreviousPage":"b","startCursor":["?","s"],"endCursor":["?","s"]},"nodes":["*",{"id":"s","title":"s","price":"s","compareAtPrice":["?","s"],"createdAt":"s","updatedAt":"s"}]}}]},
}
export const productsById: ShopifyDocument<ProductsByIdQuery, ProductsByIdQueryVariables> = {
  name: 'ProductsById',
  kind: 'query',
  text: "query ProductsById($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on Product { ...ProductFacts variants(first: 20) { pageInfo { hasNextPage endCursor } nodes { ...VariantFacts } } } } } fragment ProductFacts on Product { id title handle status createdAt updatedAt variantsCount { count } featuredMedia { preview { image { url } } } priceRangeV2 { minVariantPrice { amount currencyCode } maxVariantPrice { amount } } } fragment VariantFacts on ProductVariant { id title price compareAtPrice createdAt updatedAt }",
  shape: {"nodes":["*",["?",{"__typename":"s","on Product":{"id":"s","title":"s","handle":"s","status":"s","createdAt":"s","updatedAt":"s","variantsCount":["?",{"count":"n"}],"featuredMedia":["?",{"preview":["?",{"image":["?",{"url":"s"}]}]}],"priceRangeV2":{"minVariantPrice":{"amount":"s","currencyCode":"s"},"maxVariantPrice":{"amount":"s"}},"variants":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"id":"s","title":"s","price":"s","compareAtPrice":["?","s"],"createdAt":"s","updatedAt":"s"}]}}}]]},
}
export const productCount: ShopifyDocument<ProductCountQuery, ProductCountQueryVariables> = {
  name: 'ProductCount',
  kind: 'query',
  text: "query ProductCount($query: String) { productsCount(query: $query, limit: null) { count } }",
  shape: {"productsCount":["?",{"count":"n"}]},
}
export const setPrices: ShopifyDocument<SetPricesMutation, SetPricesMutationVariables> = {
  name: 'SetPrices',
  kind: 'mutation',
  text: "mutation SetPrices($productId: ID!, $variants: [ProductVariantsBulkInput!]!) { productVariantsBulkUpdate( productId: $productId variants: $variants allowPartialUpdates: false ) { userErrors { code field message } } }",
  shape: {"productVariantsBulkUpdate":["?",{"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"message":"s"}]}]},
}
