// Made from pixel.graphql by npm run shopify:types. Do not edit.
import type { ShopifyDocument } from './answer-shape.ts'

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type CheckoutPixelQueryVariables = Exact<{ [key: string]: never; }>;


export type CheckoutPixelQuery = { webPixel: { id: string, settings: unknown } | null };

export type CreatePixelMutationVariables = Exact<{
  settings: unknown;
}>;


export type CreatePixelMutation = { webPixelCreate: { userErrors: Array<{ code: string | null, field: Array<string> | null, message: string }> } | null };

export type UpdatePixelMutationVariables = Exact<{
  id: string;
  settings: unknown;
}>;


export type UpdatePixelMutation = { webPixelUpdate: { userErrors: Array<{ code: string | null, field: Array<string> | null, message: string }> } | null };

export type DeletePixelMutationVariables = Exact<{
  id: string;
}>;


export type DeletePixelMutation = { webPixelDelete: { userErrors: Array<{ code: string | null, field: Array<string> | null, message: string }> } | null };

export const checkoutPixel: ShopifyDocument<CheckoutPixelQuery, CheckoutPixelQueryVariables> = {
  name: 'CheckoutPixel',
  kind: 'query',
  text: "query CheckoutPixel { webPixel { id settings } }",
  shape: {"webPixel":["?",{"id":"s","settings":"j"}]},
}
export const createPixel: ShopifyDocument<CreatePixelMutation, CreatePixelMutationVariables> = {
  name: 'CreatePixel',
  kind: 'mutation',
  text: "mutation CreatePixel($settings: JSON!) { webPixelCreate(webPixel: {settings: $settings}) { userErrors { code field message } } }",
  shape: {"webPixelCreate":["?",{"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"message":"s"}]}]},
}
export const updatePixel: ShopifyDocument<UpdatePixelMutation, UpdatePixelMutationVariables> = {
  name: 'UpdatePixel',
  kind: 'mutation',
  text: "mutation UpdatePixel($id: ID!, $settings: JSON!) { webPixelUpdate(id: $id, webPixel: {settings: $settings}) { userErrors { code field message } } }",
  shape: {"webPixelUpdate":["?",{"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"message":"s"}]}]},
}
export const deletePixel: ShopifyDocument<DeletePixelMutation, DeletePixelMutationVariables> = {
  name: 'DeletePixel',
  kind: 'mutation',
  text: "mutation DeletePixel($id: ID!) { webPixelDelete(id: $id) { userErrors { code field message } } }",
  shape: {"webPixelDelete":["?",{"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"message":"s"}]}]},
}
