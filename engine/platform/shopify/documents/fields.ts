// Made from fields.graphql by npm run shopify:types. Do not edit.
import type { ShopifyDocument } from './answer-shape.ts'

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type MetafieldIdentifierInput = {
  key: string;
  namespace: string;
  ownerId: string;
};

export type MetafieldsSetInput = {
  key: string;
  namespace?: string | null | undefined;
  ownerId: string;
  type?: string | null | undefined;
  value: string;
};

export type InstallationFieldsQueryVariables = Exact<{
  namespace: string;
}>;


export type InstallationFieldsQuery = { currentAppInstallation: { id: string, metafields: { nodes: Array<{ key: string, value: string }> } } };

export type SetFieldsMutationVariables = Exact<{
  fields: Array<MetafieldsSetInput>;
}>;


export type SetFieldsMutation = { metafieldsSet: { userErrors: Array<{ code: string | null, field: Array<string> | null, message: string }> } | null };

export type DeleteFieldsMutationVariables = Exact<{
  fields: Array<MetafieldIdentifierInput>;
}>;


export type DeleteFieldsMutation = { metafieldsDelete: { userErrors: Array<{ field: Array<string> | null, message: string }> } | null };

export const installationFields: ShopifyDocument<InstallationFieldsQuery, InstallationFieldsQueryVariables> = {
  name: 'InstallationFields',
  kind: 'query',
  text: "query InstallationFields($namespace: String!) { currentAppInstallation { id metafields(first: 25, namespace: $namespace) { nodes { key value } } } }",
  shape: {"currentAppInstallation":{"id":"s","metafields":{"nodes":["*",{"key":"s","value":"s"}]}}},
}
export const setFields: ShopifyDocument<SetFieldsMutation, SetFieldsMutationVariables> = {
  name: 'SetFields',
  kind: 'mutation',
  text: "mutation SetFields($fields: [MetafieldsSetInput!]!) { metafieldsSet(metafields: $fields) { userErrors { code field message } } }",
  shape: {"metafieldsSet":["?",{"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"message":"s"}]}]},
}
export const deleteFields: ShopifyDocument<DeleteFieldsMutation, DeleteFieldsMutationVariables> = {
  name: 'DeleteFields',
  kind: 'mutation',
  text: "mutation DeleteFields($fields: [MetafieldIdentifierInput!]!) { metafieldsDelete(metafields: $fields) { userErrors { field message } } }",
  shape: {"metafieldsDelete":["?",{"userErrors":["*",{"field":["?",["*","s"]],"message":"s"}]}]},
}
