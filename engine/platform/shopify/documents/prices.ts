// Made from prices.graphql by npm run shopify:types. Do not edit.
import type { ShopifyDocument } from './answer-shape.ts'

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type DiscountAutomaticAppInput = {
  appliesOnOneTimePurchase?: boolean | null | undefined;
  appliesOnSubscription?: boolean | null | undefined;
  combinesWith?: DiscountCombinesWithInput | null | undefined;
  discountClasses?: Array<DiscountClass> | null | undefined;
  functionHandle?: string | null | undefined;
  startsAt?: string | null | undefined;
  title?: string | null | undefined;
};

export type DiscountClass =
  | 'ORDER'
  | 'PRODUCT'
  | 'SHIPPING';

export type DiscountCombinesWithInput = {
  orderDiscounts?: boolean | null | undefined;
  productDiscounts?: boolean | null | undefined;
  shippingDiscounts?: boolean | null | undefined;
};

export type DiscountStatus =
  | 'ACTIVE'
  | 'EXPIRED'
  | 'SCHEDULED';

export type MarketStatus =
  | 'ACTIVE'
  | 'DRAFT';

export type PriceMarketsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type PriceMarketsQuery = { shop: { id: string, currencyCode: string }, markets: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, name: string, status: MarketStatus, currencySettings: { roundingEnabled: boolean, baseCurrency: { currencyCode: string } } | null, catalogs: { nodes: Array<{ priceList: { fixedPricesCount: number, parent: { adjustment: { value: number } } | null } | null }> } }> } };

export type CartTransformsQueryVariables = Exact<{ [key: string]: never; }>;


export type CartTransformsQuery = { cartTransforms: { nodes: Array<{ id: string, functionId: string }> } };

export type CreateCartTransformMutationVariables = Exact<{
  handle: string;
}>;


export type CreateCartTransformMutation = { cartTransformCreate: { cartTransform: { id: string } | null, userErrors: Array<{ code: string | null, field: Array<string> | null, message: string }> } | null };

export type DeleteCartTransformMutationVariables = Exact<{
  id: string;
}>;


export type DeleteCartTransformMutation = { cartTransformDelete: { userErrors: Array<{ code: string | null, field: Array<string> | null, message: string }> } | null };

export type PriceDiscountsQueryVariables = Exact<{
  query: string;
}>;


export type PriceDiscountsQuery = { discountNodes: { nodes: Array<{ id: string, discount: { __typename: 'DiscountAutomaticApp', title: string, status: DiscountStatus } }> } };

export type CreatePriceDiscountMutationVariables = Exact<{
  discount: DiscountAutomaticAppInput;
}>;


export type CreatePriceDiscountMutation = { discountAutomaticAppCreate: { automaticAppDiscount: { discountId: string } | null, userErrors: Array<{ code: string | null, field: Array<string> | null, message: string }> } | null };

export type DeletePriceDiscountMutationVariables = Exact<{
  id: string;
}>;


export type DeletePriceDiscountMutation = { discountAutomaticDelete: { userErrors: Array<{ code: string | null, field: Array<string> | null, message: string }> } | null };

export type ShopFieldQueryVariables = Exact<{
  namespace: string;
  key: string;
}>;


export type ShopFieldQuery = { shop: { id: string, metafield: { value: string } | null } };

export const priceMarkets: ShopifyDocument<PriceMarketsQuery, PriceMarketsQueryVariables> = {
  name: 'PriceMarkets',
  kind: 'query',
  text: "query PriceMarkets($after: String) { shop { id currencyCode } markets(first: 50, after: $after) { pageInfo { hasNextPage endCursor } nodes { id name status currencySettings { roundingEnabled baseCurrency { currencyCode } } catalogs(first: 5) { nodes { priceList { fixedPricesCount parent { adjustment { value } } } } } } } }",
  shape: {"shop":{"id":"s","currencyCode":"s"},"markets":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"id":"s","name":"s","status":"s","currencySettings":["?",{"roundingEnabled":"b","baseCurrency":{"currencyCode":"s"}}],"catalogs":{"nodes":["*",{"priceList":["?",{"fixedPricesCount":"n","parent":["?",{"adjustment":{"value":"n"}}]}]}]}}]}},
}
export const cartTransforms: ShopifyDocument<CartTransformsQuery, CartTransformsQueryVariables> = {
  name: 'CartTransforms',
  kind: 'query',
  text: "query CartTransforms { cartTransforms(first: 10) { nodes { id functionId } } }",
  shape: {"cartTransforms":{"nodes":["*",{"id":"s","functionId":"s"}]}},
}
export const createCartTransform: ShopifyDocument<CreateCartTransformMutation, CreateCartTransformMutationVariables> = {
  name: 'CreateCartTransform',
  kind: 'mutation',
  text: "mutation CreateCartTransform($handle: String!) { cartTransformCreate(functionHandle: $handle, blockOnFailure: false) { cartTransform { id } userErrors { code field message } } }",
  shape: {"cartTransformCreate":["?",{"cartTransform":["?",{"id":"s"}],"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"message":"s"}]}]},
}
export const deleteCartTransform: ShopifyDocument<DeleteCartTransformMutation, DeleteCartTransformMutationVariables> = {
  name: 'DeleteCartTransform',
  kind: 'mutation',
  text: "mutation DeleteCartTransform($id: ID!) { cartTransformDelete(id: $id) { userErrors { code field message } } }",
  shape: {"cartTransformDelete":["?",{"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"message":"s"}]}]},
}
export const priceDiscounts: ShopifyDocument<PriceDiscountsQuery, PriceDiscountsQueryVariables> = {
  name: 'PriceDiscounts',
  kind: 'query',
  text: "query PriceDiscounts($query: String!) { discountNodes(first: 20, query: $query) { nodes { id discount { __typename ... on DiscountAutomaticApp { title status } } } } }",
  shape: {"discountNodes":{"nodes":["*",{"id":"s","discount":{"__typename":"s","on DiscountAutomaticApp":{"title":"s","status":"s"}}}]}},
}
export const createPriceDiscount: ShopifyDocument<CreatePriceDiscountMutation, CreatePriceDiscountMutationVariables> = {
  name: 'CreatePriceDiscount',
  kind: 'mutation',
  text: "mutation CreatePriceDiscount($discount: DiscountAutomaticAppInput!) { discountAutomaticAppCreate(automaticAppDiscount: $discount) { automaticAppDiscount { discountId } userErrors { code field message } } }",
  shape: {"discountAutomaticAppCreate":["?",{"automaticAppDiscount":["?",{"discountId":"s"}],"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"message":"s"}]}]},
}
export const deletePriceDiscount: ShopifyDocument<DeletePriceDiscountMutation, DeletePriceDiscountMutationVariables> = {
  name: 'DeletePriceDiscount',
  kind: 'mutation',
  text: "mutation DeletePriceDiscount($id: ID!) { discountAutomaticDelete(id: $id) { userErrors { code field message } } }",
  shape: {"discountAutomaticDelete":["?",{"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"message":"s"}]}]},
}
export const shopField: ShopifyDocument<ShopFieldQuery, ShopFieldQueryVariables> = {
  name: 'ShopField',
  kind: 'query',
  text: "query ShopField($namespace: String!, $key: String!) { shop { id metafield(namespace: $namespace, key: $key) { value } } }",
  shape: {"shop":{"id":"s","metafield":["?",{"value":"s"}]}},
}
