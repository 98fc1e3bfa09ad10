// Made from orders.graphql by npm run shopify:types. Do not edit.
import type { ShopifyDocument } from './answer-shape.ts'

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type ChangedOrdersQueryVariables = Exact<{
  query: string;
  after?: string | null | undefined;
}>;


export type ChangedOrdersQuery = { orders: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, name: string }> } };

export type OrdersOfCustomerQueryVariables = Exact<{
  query: string;
  after?: string | null | undefined;
}>;


export type OrdersOfCustomerQuery = { orders: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string }> } };

export type OneOrderQueryVariables = Exact<{
  id: string;
}>;


export type OneOrderQuery = { order: { id: string, name: string, createdAt: string, updatedAt: string, cancelledAt: string | null, test: boolean, currencyCode: string, presentmentCurrencyCode: string, taxesIncluded: boolean, sourceName: string | null, customAttributes: Array<{ key: string, value: string | null }>, totalRefundedSet: { shopMoney: { amount: string } }, totalRefundedShippingSet: { shopMoney: { amount: string } }, refunds: Array<{ id: string, refundLineItems: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ subtotalSet: { shopMoney: { amount: string } }, totalTaxSet: { shopMoney: { amount: string } } }> }, orderAdjustments: { nodes: Array<{ taxAmountSet: { shopMoney: { amount: string } } }> } }>, lineItems: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ title: string, quantity: number, product: { id: string } | null, variant: { id: string } | null, sellingPlan: { name: string } | null, originalUnitPriceSet: { shopMoney: { amount: string } }, originalTotalSet: { shopMoney: { amount: string } }, discountAllocations: Array<{ allocatedAmountSet: { shopMoney: { amount: string } }, discountApplication: { __typename: 'AutomaticDiscountApplication', title: string } }>, taxLines: Array<{ priceSet: { shopMoney: { amount: string } } }> }> } } | null };

export type MoreLinesQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
}>;


export type MoreLinesQuery = { order: { lineItems: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ title: string, quantity: number, product: { id: string } | null, variant: { id: string } | null, sellingPlan: { name: string } | null, originalUnitPriceSet: { shopMoney: { amount: string } }, originalTotalSet: { shopMoney: { amount: string } }, discountAllocations: Array<{ allocatedAmountSet: { shopMoney: { amount: string } }, discountApplication: { __typename: 'AutomaticDiscountApplication', title: string } }>, taxLines: Array<{ priceSet: { shopMoney: { amount: string } } }> }> } } | null };

export type MoreRefundLinesQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
}>;


export type MoreRefundLinesQuery = { nodes: Array<
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
    | { __typename: 'Product' }
    | { __typename: 'ProductVariant' }
    | { __typename: 'Refund', refundLineItems: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ subtotalSet: { shopMoney: { amount: string } }, totalTaxSet: { shopMoney: { amount: string } } }> } }
    | { __typename: 'Shop' }
    | { __typename: 'ShopAddress' }
    | { __typename: 'UrlRedirect' }
    | { __typename: 'WebPixel' }
   | null> };

export type ShopMoneyFragment = { shopMoney: { amount: string } };

export type RefundLineFactsFragment = { subtotalSet: { shopMoney: { amount: string } }, totalTaxSet: { shopMoney: { amount: string } } };

export type LineFactsFragment = { title: string, quantity: number, product: { id: string } | null, variant: { id: string } | null, sellingPlan: { name: string } | null, originalUnitPriceSet: { shopMoney: { amount: string } }, originalTotalSet: { shopMoney: { amount: string } }, discountAllocations: Array<{ allocatedAmountSet: { shopMoney: { amount: string } }, discountApplication: { __typename: 'AutomaticDiscountApplication', title: string } }>, taxLines: Array<{ priceSet: { shopMoney: { amount: string } } }> };

export const changedOrders: ShopifyDocument<ChangedOrdersQuery, ChangedOrdersQueryVariables> = {
  name: 'ChangedOrders',
  kind: 'query',
  text: "query ChangedOrders($query: String!, $after: String) { orders(first: 50, after: $after, query: $query, sortKey: UPDATED_AT) { pageInfo { hasNextPage endCursor } nodes { id name } } }",
  shape: {"orders":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"id":"s","name":"s"}]}},
}
export const ordersOfCustomer: ShopifyDocument<OrdersOfCustomerQuery, OrdersOfCustomerQueryVariables> = {
  name: 'OrdersOfCustomer',
  kind: 'query',
  text: "query OrdersOfCustomer($query: String!, $after: String) { orders(first: 250, after: $after, query: $query) { pageInfo { hasNextPage endCursor } nodes { id } } }",
  shape: {"orders":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"id":"s"}]}},
}
export const oneOrder: ShopifyDocument<OneOrderQuery, OneOrderQueryVariables> = {
  name: 'OneOrder',
  kind: 'query',
  text: "query OneOrder($id: ID!) { order(id: $id) { id name createdAt updatedAt cancelledAt test currencyCode presentmentCurrencyCode taxesIncluded sourceName customAttributes { key value } totalRefundedSet { ...ShopMoney } totalRefundedShippingSet { ...ShopMoney } refunds(first: 100) { refundLineItems(first: 20) { pageInfo { hasNextPage endCursor } nodes { ...RefundLineFacts } } orderAdjustments(first: 20) { nodes { taxAmountSet { ...ShopMoney } } } id } lineItems(first: 30) { pageInfo { hasNextPage endCursor } nodes { ...LineFacts } } } } fragment ShopMoney on MoneyBag { shopMoney { amount } } fragment RefundLineFacts on RefundLineItem { subtotalSet { ...ShopMoney } totalTaxSet { ...ShopMoney } } fragment LineFacts on LineItem { title quantity product { id } variant { id } sellingPlan { name } originalUnitPriceSet { ...ShopMoney } originalTotalSet { ...ShopMoney } discountAllocations { allocatedAmountSet { ...ShopMoney } discountApplication { __typename ... on AutomaticDiscountApplication { title } } } taxLines { priceSet { ...ShopMoney } } }",
  shape: {"order":["?",{"id":"s","name":"s","createdAt":"s","updatedAt":"s","cancelledAt":["?","s"],"test":"b","currencyCode":"s","presentmentCurrencyCode":"s","taxesIncluded":"b","sourceName":["?","s"],"customAttributes":["*",{"key":"s","value":["?","s"]}],"totalRefundedSet":{"shopMoney":{"amount":"s"}},"totalRefundedShippingSet":{"shopMoney":{"amount":"s"}},"refunds":["*",{"refundLineItems":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"subtotalSet":{"shopMoney":{"amount":"s"}},"totalTaxSet":{"shopMoney":{"amount":"s"}}}]},"orderAdjustments":{"nodes":["*",{"taxAmountSet":{"shopMoney":{"amount":"s"}}}]},"id":"s"}],"lineItems":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"title":"s","quantity":"n","product":["?",{"id":"s"}],"variant":["?",{"id":"s"}],"sellingPlan":["?",{"name":"s"}],"originalUnitPriceSet":{"shopMoney":{"amount":"s"}},"originalTotalSet":{"shopMoney":{"amount":"s"}},"discountAllocations":["*",{"allocatedAmountSet":{"shopMoney":{"amount":"s"}},"discountApplication":{"__typename":"s","on AutomaticDiscountApplication":{"title":"s"}}}],"taxLines":["*",{"priceSet":{"shopMoney":{"amount":"s"}}}]}]}}]},
}
export const moreLines: ShopifyDocument<MoreLinesQuery, MoreLinesQueryVariables> = {
  name: 'MoreLines',
  kind: 'query',
  text: "query MoreLines($id: ID!, $after: String) { order(id: $id) { lineItems(first: 50, after: $after) { pageInfo { hasNextPage endCursor } nodes { ...LineFacts } } } } fragment LineFacts on LineItem { title quantity product { id } variant { id } sellingPlan { name } originalUnitPriceSet { ...ShopMoney } originalTotalSet { ...ShopMoney } discountAllocations { allocatedAmountSet { ...ShopMoney } discountApplication { __typename ... on AutomaticDiscountApplication { title } } } taxLines { priceSet { ...ShopMoney } } } fragment ShopMoney on MoneyBag { shopMoney { amount } }",
  shape: {"order":["?",{"lineItems":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"title":"s","quantity":"n","product":["?",{"id":"s"}],"variant":["?",{"id":"s"}],"sellingPlan":["?",{"name":"s"}],"originalUnitPriceSet":{"shopMoney":{"amount":"s"}},"originalTotalSet":{"shopMoney":{"amount":"s"}},"discountAllocations":["*",{"allocatedAmountSet":{"shopMoney":{"amount":"s"}},"discountApplication":{"__typename":"s","on AutomaticDiscountApplication":{"title":"s"}}}],"taxLines":["*",{"priceSet":{"shopMoney":{"amount":"s"}}}]}]}}]},
}
export const moreRefundLines: ShopifyDocument<MoreRefundLinesQuery, MoreRefundLinesQueryVariables> = {
  name: 'MoreRefundLines',
  kind: 'query',
  text: "query MoreRefundLines($id: ID!, $after: String) { nodes(ids: [$id]) { __typename ... on Refund { refundLineItems(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { ...RefundLineFacts } } } } } fragment RefundLineFacts on RefundLineItem { subtotalSet { ...ShopMoney } totalTaxSet { ...ShopMoney } } fragment ShopMoney on MoneyBag { shopMoney { amount } }",
  shape: {"nodes":["*",["?",{"__typename":"s","on Refund":{"refundLineItems":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"subtotalSet":{"shopMoney":{"amount":"s"}},"totalTaxSet":{"shopMoney":{"amount":"s"}}}]}}}]]},
}
