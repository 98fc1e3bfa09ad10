// Made from rollouts.graphql by npm run shopify:types. Do not edit.
import type { ShopifyDocument } from './answer-shape.ts'

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type RolloutStatus =
  | 'DRAFT'
  | 'SCHEDULED'
  | 'ACTIVE'
  | 'PAUSED'
  | 'ENDED';

export type RolloutsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type RolloutsQuery = { rollouts: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, name: string, status: RolloutStatus, startedAt: string | null, themes: Array<{ id: string }> }> } };

export const rollouts: ShopifyDocument<RolloutsQuery, RolloutsQueryVariables> = {
  name: 'Rollouts',
  kind: 'query',
  text: "query Rollouts($after: String) { rollouts(first: 50, after: $after) { pageInfo { hasNextPage endCursor } nodes { id name status startedAt themes { id } } } }",
  shape: {"rollouts":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"id":"s","name":"s","status":"s","startedAt":["?","s"],"themes":["*",{"id":"s"}]}]}},
}
