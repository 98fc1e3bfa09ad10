// Made from billing.graphql by npm run shopify:types. Do not edit.
import type { ShopifyDocument } from './answer-shape.ts'

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type AppPricingInterval =
  | 'ANNUAL'
  | 'EVERY_30_DAYS';

export type AppSubscriptionDiscountInput = {
  durationLimitInIntervals?: number | null | undefined;
  value?: AppSubscriptionDiscountValueInput | null | undefined;
};

export type AppSubscriptionDiscountValueInput = {
  amount?: string | null | undefined;
  percentage?: number | null | undefined;
};

export type AppSubscriptionReplacementBehavior =
  | 'APPLY_IMMEDIATELY'
  | 'APPLY_ON_NEXT_BILLING_CYCLE'
  | 'STANDARD';

export type AppSubscriptionStatus =
  | 'ACCEPTED'
  | 'ACTIVE'
  | 'CANCELLED'
  | 'DECLINED'
  | 'EXPIRED'
  | 'FROZEN'
  | 'PENDING';

export type SubscriptionsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type SubscriptionsQuery = { currentAppInstallation: { allSubscriptions: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, status: AppSubscriptionStatus, createdAt: string, trialDays: number, currentPeriodEnd: string | null, returnUrl: string }> } } };

export type CreateSubscriptionMutationVariables = Exact<{
  name: string;
  returnUrl: string;
  trialDays: number;
  test: boolean;
  replacement: AppSubscriptionReplacementBehavior;
  interval: AppPricingInterval;
  price: string;
  discount?: AppSubscriptionDiscountInput | null | undefined;
}>;


export type CreateSubscriptionMutation = { appSubscriptionCreate: { confirmationUrl: string | null, appSubscription: { id: string } | null, userErrors: Array<{ field: Array<string> | null, message: string }> } | null };

export type CancelSubscriptionMutationVariables = Exact<{
  id: string;
}>;


export type CancelSubscriptionMutation = { appSubscriptionCancel: { userErrors: Array<{ field: Array<string> | null, message: string }> } | null };

export type ExtendTrialMutationVariables = Exact<{
  id: string;
  days: number;
}>;


export type ExtendTrialMutation = { appSubscriptionTrialExtend: { userErrors: Array<{ code: string | null, field: Array<string> | null, message: string }> } | null };

export const subscriptions: ShopifyDocument<SubscriptionsQuery, SubscriptionsQueryVariables> = {
  name: 'Subscriptions',
  kind: 'query',
  text: "query Subscriptions($after: String) { currentAppInstallation { allSubscriptions(first: 50, after: $after, reverse: true) { pageInfo { hasNextPage endCursor } nodes { id status createdAt trialDays currentPeriodEnd returnUrl } } } }",
  shape: {"currentAppInstallation":{"allSubscriptions":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"id":"s","status":"s","createdAt":"s","trialDays":"n","currentPeriodEnd":["?","s"],"returnUrl":"s"}]}}},
}
export const createSubscription: ShopifyDocument<CreateSubscriptionMutation, CreateSubscriptionMutationVariables> = {
  name: 'CreateSubscription',
  kind: 'mutation',
  text: "mutation CreateSubscription($name: String!, $returnUrl: URL!, $trialDays: Int!, $test: Boolean!, $replacement: AppSubscriptionReplacementBehavior!, $interval: AppPricingInterval!, $price: Decimal!, $discount: AppSubscriptionDiscountInput) { appSubscriptionCreate( name: $name returnUrl: $returnUrl trialDays: $trialDays test: $test replacementBehavior: $replacement lineItems: [{plan: {appRecurringPricingDetails: {interval: $interval, price: {amount: $price, currencyCode: USD}, discount: $discount}}}] ) { appSubscription { id } confirmationUrl userErrors { field message } } }",
  shape: {"appSubscriptionCreate":["?",{"appSubscription":["?",{"id":"s"}],"confirmationUrl":["?","s"],"userErrors":["*",{"field":["?",["*","s"]],"message":"s"}]}]},
}
export const cancelSubscription: ShopifyDocument<CancelSubscriptionMutation, CancelSubscriptionMutationVariables> = {
  name: 'CancelSubscription',
  kind: 'mutation',
  text: "mutation CancelSubscription($id: ID!) { appSubscriptionCancel(id: $id, prorate: false) { userErrors { field message } } }",
  shape: {"appSubscriptionCancel":["?",{"userErrors":["*",{"field":["?",["*","s"]],"message":"s"}]}]},
}
export const extendTrial: ShopifyDocument<ExtendTrialMutation, ExtendTrialMutationVariables> = {
  name: 'ExtendTrial',
  kind: 'mutation',
  text: "mutation ExtendTrial($id: ID!, $days: Int!) { appSubscriptionTrialExtend(id: $id, days: $days) { userErrors { code field message } } }",
  shape: {"appSubscriptionTrialExtend":["?",{"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"message":"s"}]}]},
}
