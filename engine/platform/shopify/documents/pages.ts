// Made from pages.graphql by npm run shopify:types. Do not edit.
import type { ShopifyDocument } from './answer-shape.ts'

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type FoundPagesQueryVariables = Exact<{
  query?: string | null | undefined;
}>;


export type FoundPagesQuery = { products: { nodes: Array<{ handle: string, title: string }> }, collections: { nodes: Array<{ handle: string, title: string }> }, pages: { nodes: Array<{ handle: string, title: string }> }, blogs: { nodes: Array<{ handle: string, title: string }> }, articles: { nodes: Array<{ handle: string, title: string, blog: { handle: string } }> } };

export type UrlRedirectsQueryVariables = Exact<{
  after?: string | null | undefined;
  query?: string | null | undefined;
}>;


export type UrlRedirectsQuery = { urlRedirects: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, path: string, target: string }> } };

export type CreateUrlRedirectMutationVariables = Exact<{
  path: string;
  target: string;
}>;


export type CreateUrlRedirectMutation = { urlRedirectCreate: { urlRedirect: { id: string } | null, userErrors: Array<{ code: string | null, field: Array<string> | null, message: string }> } | null };

export type DeleteUrlRedirectMutationVariables = Exact<{
  id: string;
}>;


export type DeleteUrlRedirectMutation = { urlRedirectDelete: { deletedUrlRedirectId: string | null, userErrors: Array<{ code: string | null, field: Array<string> | null, message: string }> } | null };

export const foundPages: ShopifyDocument<FoundPagesQuery, FoundPagesQueryVariables> = {
  name: 'FoundPages',
  kind: 'query',
  text: "query FoundPages($query: String) { products(first: 10, query: $query) { nodes { handle title } } collections(first: 10, query: $query) { nodes { handle title } } pages(first: 10, query: $query) { nodes { handle title } } blogs(first: 10, query: $query) { nodes { handle title } } articles(first: 10, query: $query) { nodes { handle title blog { handle } } } }",
  shape: {"products":{"nodes":["*",{"handle":"s","title":"s"}]},"collections":{"nodes":["*",{"handle":"s","title":"s"}]},"pages":{"nodes":["*",{"handle":"s","title":"s"}]},"blogs":{"nodes":["*",{"handle":"s","title":"s"}]},"articles":{"nodes":["*",{"handle":"s","title":"s","blog":{"handle":"s"}}]}},
}
export const urlRedirects: ShopifyDocument<UrlRedirectsQuery, UrlRedirectsQueryVariables> = {
  name: 'UrlRedirects',
  kind: 'query',
  text: "query UrlRedirects($after: String, $query: String) { urlRedirects(first: 250, after: $after, query: $query) { pageInfo { hasNextPage endCursor } nodes { id path target } } }",
  shape: {"urlRedirects":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"id":"s","path":"s","target":"s"}]}},
}
export const createUrlRedirect: ShopifyDocument<CreateUrlRedirectMutation, CreateUrlRedirectMutationVariables> = {
  name: 'CreateUrlRedirect',
  kind: 'mutation',
  text: "mutation CreateUrlRedirect($path: String!, $target: String!) { urlRedirectCreate(urlRedirect: {path: $path, target: $target}) { urlRedirect { id } userErrors { code field message } } }",
  shape: {"urlRedirectCreate":["?",{"urlRedirect":["?",{"id":"s"}],"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"message":"s"}]}]},
}
export const deleteUrlRedirect: ShopifyDocument<DeleteUrlRedirectMutation, DeleteUrlRedirectMutationVariables> = {
  name: 'DeleteUrlRedirect',
  kind: 'mutation',
  text: "mutation DeleteUrlRedirect($id: ID!) { urlRedirectDelete(id: $id) { deletedUrlRedirectId userErrors { code field message } } }",
  shape: {"urlRedirectDelete":["?",{"deletedUrlRedirectId":["?","s"],"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"message":"s"}]}]},
}
