// Made from resources.graphql by npm run shopify:types. Do not edit.
import type { ShopifyDocument } from './answer-shape.ts'

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type ProductResourcesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  query?: string | null | undefined;
}>;


export type ProductResourcesQuery = { products: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, handle: string, title: string, templateSuffix: string | null, updatedAt: string }> } };

export type CollectionResourcesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  query?: string | null | undefined;
}>;


export type CollectionResourcesQuery = { collections: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, handle: string, title: string, templateSuffix: string | null, updatedAt: string }> } };

export type PageResourcesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  query?: string | null | undefined;
}>;


export type PageResourcesQuery = { pages: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, handle: string, title: string, templateSuffix: string | null, updatedAt: string }> } };

export type BlogResourcesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  query?: string | null | undefined;
}>;


export type BlogResourcesQuery = { blogs: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, handle: string, title: string, templateSuffix: string | null, updatedAt: string | null }> } };

export type ArticleResourcesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  query?: string | null | undefined;
}>;


export type ArticleResourcesQuery = { articles: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, handle: string, title: string, templateSuffix: string | null, updatedAt: string | null, blog: { handle: string } }> } };

export type ResourcesByIdQueryVariables = Exact<{
  ids: Array<string>;
}>;


export type ResourcesByIdQuery = { nodes: Array<
    | { __typename: 'AppInstallation' }
    | { __typename: 'AppSubscription' }
    | { __typename: 'Article', id: string, handle: string, title: string, templateSuffix: string | null, blog: { handle: string } }
    | { __typename: 'Blog', id: string, handle: string, title: string, templateSuffix: string | null }
    | { __typename: 'CartTransform' }
    | { __typename: 'Collection', id: string, handle: string, title: string, templateSuffix: string | null }
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
    | { __typename: 'Page', id: string, handle: string, title: string, templateSuffix: string | null }
    | { __typename: 'PriceList' }
    | { __typename: 'Product', id: string, handle: string, title: string, templateSuffix: string | null }
    | { __typename: 'ProductVariant' }
    | { __typename: 'Refund' }
    | { __typename: 'Shop' }
    | { __typename: 'ShopAddress' }
    | { __typename: 'UrlRedirect' }
    | { __typename: 'WebPixel' }
   | null> };

export type AssignProductMutationVariables = Exact<{
  id: string;
  suffix: string;
}>;


export type AssignProductMutation = { productUpdate: { userErrors: Array<{ field: Array<string> | null, message: string }> } | null };

export type AssignCollectionMutationVariables = Exact<{
  id: string;
  suffix: string;
}>;


export type AssignCollectionMutation = { collectionUpdate: { userErrors: Array<{ field: Array<string> | null, message: string }> } | null };

export type AssignPageMutationVariables = Exact<{
  id: string;
  suffix: string;
}>;


export type AssignPageMutation = { pageUpdate: { userErrors: Array<{ field: Array<string> | null, message: string }> } | null };

export type AssignBlogMutationVariables = Exact<{
  id: string;
  suffix: string;
}>;


export type AssignBlogMutation = { blogUpdate: { userErrors: Array<{ field: Array<string> | null, message: string }> } | null };

export type AssignArticleMutationVariables = Exact<{
  id: string;
  suffix: string;
}>;


export type AssignArticleMutation = { articleUpdate: { userErrors: Array<{ field: Array<string> | null, message: string }> } | null };

export const productResources: ShopifyDocument<ProductResourcesQuery, ProductResourcesQueryVariables> = {
  name: 'ProductResources',
  kind: 'query',
  text: "query ProductResources($first: Int!, $after: String, $query: String) { products(first: $first, after: $after, query: $query, sortKey: ID) { pageInfo { hasNextPage endCursor } nodes { id handle title templateSuffix updatedAt } } }",
  shape: {"products":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"id":"s","handle":"s","title":"s","templateSuffix":["?","s"],"updatedAt":"s"}]}},
}
export const collectionResources: ShopifyDocument<CollectionResourcesQuery, CollectionResourcesQueryVariables> = {
  name: 'CollectionResources',
  kind: 'query',
  text: "query CollectionResources($first: Int!, $after: String, $query: String) { collections(first: $first, after: $after, query: $query, sortKey: ID) { pageInfo { hasNextPage endCursor } nodes { id handle title templateSuffix updatedAt } } }",
  shape: {"collections":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"id":"s","handle":"s","title":"s","templateSuffix":["?","s"],"updatedAt":"s"}]}},
}
export const pageResources: ShopifyDocument<PageResourcesQuery, PageResourcesQueryVariables> = {
  name: 'PageResources',
  kind: 'query',
  text: "query PageResources($first: Int!, $after: String, $query: String) { pages(first: $first, after: $after, query: $query, sortKey: ID) { pageInfo { hasNextPage endCursor } nodes { id handle title templateSuffix updatedAt } } }",
  shape: {"pages":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"id":"s","handle":"s","title":"s","templateSuffix":["?","s"],"updatedAt":"s"}]}},
}
export const blogResources: ShopifyDocument<BlogResourcesQuery, BlogResourcesQueryVariables> = {
  name: 'BlogResources',
  kind: 'query',
  text: "query BlogResources($first: Int!, $after: String, $query: String) { blogs(first: $first, after: $after, query: $query, sortKey: ID) { pageInfo { hasNextPage endCursor } nodes { id handle title templateSuffix updatedAt } } }",
  shape: {"blogs":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"id":"s","handle":"s","title":"s","templateSuffix":["?","s"],"updatedAt":["?","s"]}]}},
}
export const articleResources: ShopifyDocument<ArticleResourcesQuery, ArticleResourcesQueryVariables> = {
  name: 'ArticleResources',
  kind: 'query',
  text: "query ArticleResources($first: Int!, $after: String, $query: String) { articles(first: $first, after: $after, query: $query, sortKey: ID) { pageInfo { hasNextPage endCursor } nodes { id handle title templateSuffix updatedAt blog { handle } } } }",
  shape: {"articles":{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"id":"s","handle":"s","title":"s","templateSuffix":["?","s"],"updatedAt":["?","s"],"blog":{"handle":"s"}}]}},
}
export const resourcesById: ShopifyDocument<ResourcesByIdQuery, ResourcesByIdQueryVariables> = {
  name: 'ResourcesById',
  kind: 'query',
  text: "query ResourcesById($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on Product { id handle title templateSuffix } ... on Collection { id handle title templateSuffix } ... on Page { id handle title templateSuffix } ... on Blog { id handle title templateSuffix } ... on Article { id handle title templateSuffix blog { handle } } } }",
  shape: {"nodes":["*",["?",{"__typename":"s","on Product":{"id":"s","handle":"s","title":"s","templateSuffix":["?","s"]},"on Collection":{"id":"s","handle":"s","title":"s","templateSuffix":["?","s"]},"on Page":{"id":"s","handle":"s","title":"s","templateSuffix":["?","s"]},"on Blog":{"id":"s","handle":"s","title":"s","templateSuffix":["?","s"]},"on Article":{"id":"s","handle":"s","title":"s","templateSuffix":["?","s"],"blog":{"handle":"s"}}}]]},
}
export const assignProduct: ShopifyDocument<AssignProductMutation, AssignProductMutationVariables> = {
  name: 'AssignProduct',
  kind: 'mutation',
  text: "mutation AssignProduct($id: ID!, $suffix: String!) { productUpdate(product: {id: $id, templateSuffix: $suffix}) { userErrors { field message } } }",
  shape: {"productUpdate":["?",{"userErrors":["*",{"field":["?",["*","s"]],"message":"s"}]}]},
}
export const assignCollection: ShopifyDocument<AssignCollectionMutation, AssignCollectionMutationVariables> = {
  name: 'AssignCollection',
  kind: 'mutation',
  text: "mutation AssignCollection($id: ID!, $suffix: String!) { collectionUpdate(collection: {id: $id, templateSuffix: $suffix}) { userErrors { field message } } }",
  shape: {"collectionUpdate":["?",{"userErrors":["*",{"field":["?",["*","s"]],"message":"s"}]}]},
}
export const assignPage: ShopifyDocument<AssignPageMutation, AssignPageMutationVariables> = {
  name: 'AssignPage',
  kind: 'mutation',
  text: "mutation AssignPage($id: ID!, $suffix: String!) { pageUpdate(id: $id, page: {templateSuffix: $suffix}) { userErrors { field message } } }",
  shape: {"pageUpdate":["?",{"userErrors":["*",{"field":["?",["*","s"]],"message":"s"}]}]},
}
export const assignBlog: ShopifyDocument<AssignBlogMutation, AssignBlogMutationVariables> = {
  name: 'AssignBlog',
  kind: 'mutation',
  text: "mutation AssignBlog($id: ID!, $suffix: String!) { blogUpdate(id: $id, blog: {templateSuffix: $suffix}) { userErrors { field message } } }",
  shape: {"blogUpdate":["?",{"userErrors":["*",{"field":["?",["*","s"]],"message":"s"}]}]},
}
export const assignArticle: ShopifyDocument<AssignArticleMutation, AssignArticleMutationVariables> = {
  name: 'AssignArticle',
  kind: 'mutation',
  text: "mutation AssignArticle($id: ID!, $suffix: String!) { articleUpdate(id: $id, article: {templateSuffix: $suffix}) { userErrors { field message } } }",
  shape: {"articleUpdate":["?",{"userErrors":["*",{"field":["?",["*","s"]],"message":"s"}]}]},
}
