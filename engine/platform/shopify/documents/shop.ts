// Made from shop.graphql by npm run shopify:types. Do not edit.
import type { ShopifyDocument } from './answer-shape.ts'

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type ShopFactsQueryVariables = Exact<{ [key: string]: never; }>;


export type ShopFactsQuery = { shop: { myshopifyDomain: string, name: string, email: string, shopOwnerName: string, currencyCode: string, ianaTimezone: string, taxesIncluded: boolean, primaryDomain: { host: string, url: string }, shopAddress: { phone: string | null } }, themes: { nodes: Array<{ id: string }> } | null };

export type ShopAbilitiesQueryVariables = Exact<{ [key: string]: never; }>;


export type ShopAbilitiesQuery = { shop: { plan: { partnerDevelopment: boolean, shopifyPlus: boolean } }, currentAppInstallation: { accessScopes: Array<{ handle: string }> } };

export type UninstallAppMutationVariables = Exact<{ [key: string]: never; }>;


export type UninstallAppMutation = { appUninstall: { userErrors: Array<{ field: Array<string> | null, message: string }> } | null };

export const shopFacts: ShopifyDocument<ShopFactsQuery, ShopFactsQueryVariables> = {
  name: 'ShopFacts',
  kind: 'query',
  text: "query ShopFacts { shop { myshopifyDomain name email shopOwnerName currencyCode ianaTimezone taxesIncluded primaryDomain { host url } shopAddress { phone } } themes(first: 1, roles: [MAIN]) { nodes { id } } }",
  shape: {"shop":{"myshopifyDomain":"s","name":"s","email":"s","shopOwnerName":"s","currencyCode":"s","ianaTimezone":"s","taxesIncluded":"b","primaryDomain":{"host":"s","url":"s"},"shopAddress":{"phone":["?","s"]}},"themes":["?",{"nodes":["*",{"id":"s"}]}]},
}
export const shopAbilities: ShopifyDocument<ShopAbilitiesQuery, ShopAbilitiesQueryVariables> = {
  name: 'ShopAbilities',
  kind: 'query',
  text: "query ShopAbilities { shop { plan { partnerDevelopment shopifyPlus } } currentAppInstallation { accessScopes { handle } } }",
  shape: {"shop":{"plan":{"partnerDevelopment":"b","shopifyPlus":"b"}},"currentAppInstallation":{"accessScopes":["*",{"handle":"s"}]}},
}
export const uninstallApp: ShopifyDocument<UninstallAppMutation, UninstallAppMutationVariables> = {
  name: 'UninstallApp',
  kind: 'mutation',
  text: "mutation UninstallApp { appUninstall { userErrors { field message } } }",
  shape: {"appUninstall":["?",{"userErrors":["*",{"field":["?",["*","s"]],"message":"s"}]}]},
}
