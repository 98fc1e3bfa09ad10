// Made from themes.graphql by npm run shopify:types. Do not edit.
import type { ShopifyDocument } from './answer-shape.ts'

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type OnlineStoreThemeFileBodyInput = {
  type: OnlineStoreThemeFileBodyInputType;
  value: string;
};

export type OnlineStoreThemeFileBodyInputType =
  | 'BASE64'
  | 'TEXT'
  | 'URL';

export type OnlineStoreThemeFileResultType =
  | 'BAD_REQUEST'
  | 'CONFLICT'
  | 'ERROR'
  | 'NOT_FOUND'
  | 'SUCCESS'
  | 'TIMEOUT'
  | 'UNPROCESSABLE_ENTITY';

export type OnlineStoreThemeFilesUpsertFileInput = {
  body: OnlineStoreThemeFileBodyInput;
  filename: string;
};

export type ThemeRole =
  | 'ARCHIVED'
  | 'DEMO'
  | 'DEVELOPMENT'
  | 'LOCKED'
  | 'MAIN'
  | 'MOBILE'
  | 'UNPUBLISHED';

export type ThemesQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type ThemesQuery = { themes: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, name: string, role: ThemeRole, processing: boolean, createdAt: string, updatedAt: string }> } | null };

export type ThemeFilesQueryVariables = Exact<{
  id: string;
  filenames: Array<string>;
  after?: string | null | undefined;
}>;


export type ThemeFilesQuery = { theme: { name: string, processing: boolean, files: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, userErrors: Array<{ code: OnlineStoreThemeFileResultType, filename: string }>, nodes: Array<{ filename: string, contentType: string, updatedAt: string, body:
          | { __typename: 'OnlineStoreThemeFileBodyBase64', contentBase64: string }
          | { __typename: 'OnlineStoreThemeFileBodyText', content: string }
          | { __typename: 'OnlineStoreThemeFileBodyUrl', url: string }
         }> } | null } | null };

export type ThemeStateQueryVariables = Exact<{
  id: string;
}>;


export type ThemeStateQuery = { theme: { name: string, processing: boolean } | null };

export type UpsertThemeFilesMutationVariables = Exact<{
  themeId: string;
  files: Array<OnlineStoreThemeFilesUpsertFileInput>;
}>;


export type UpsertThemeFilesMutation = { themeFilesUpsert: { upsertedThemeFiles: Array<{ filename: string }> | null, job: { id: string, done: boolean } | null, userErrors: Array<{ code: string | null, field: Array<string> | null, filename: string | null, message: string }> } | null };

export type DeleteThemeFilesMutationVariables = Exact<{
  themeId: string;
  files: Array<string>;
}>;


export type DeleteThemeFilesMutation = { themeFilesDelete: { deletedThemeFiles: Array<{ filename: string }> | null, userErrors: Array<{ code: string | null, field: Array<string> | null, filename: string | null, message: string }> } | null };

export type PublishThemeMutationVariables = Exact<{
  id: string;
}>;


export type PublishThemeMutation = { themePublish: { userErrors: Array<{ field: Array<string> | null, message: string }> } | null };

export type JobStateQueryVariables = Exact<{
  id: string;
}>;


export type JobStateQuery = { job: { done: boolean } | null };

export const themes: ShopifyDocument<ThemesQuery, ThemesQueryVariables> = {
  name: 'Themes',
  kind: 'query',
  text: "query Themes($after: String) { themes(first: 50, after: $after, roles: [MAIN, UNPUBLISHED]) { pageInfo { hasNextPage endCursor } nodes { id name role processing createdAt updatedAt } } }",
  shape: {"themes":["?",{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"nodes":["*",{"id":"s","name":"s","role":"s","processing":"b","createdAt":"s","updatedAt":"s"}]}]},
}
export const themeFiles: ShopifyDocument<ThemeFilesQuery, ThemeFilesQueryVariables> = {
  name: 'ThemeFiles',
  kind: 'query',
  text: "query ThemeFiles($id: ID!, $filenames: [String!]!, $after: String) { theme(id: $id) { name processing files(first: 250, after: $after, filenames: $filenames) { pageInfo { hasNextPage endCursor } userErrors { code filename } nodes { filename contentType updatedAt body { __typename ... on OnlineStoreThemeFileBodyText { content } ... on OnlineStoreThemeFileBodyBase64 { contentBase64 } ... on OnlineStoreThemeFileBodyUrl { url } } } } } }",
  shape: {"theme":["?",{"name":"s","processing":"b","files":["?",{"pageInfo":{"hasNextPage":"b","endCursor":["?","s"]},"userErrors":["*",{"code":"s","filename":"s"}],"nodes":["*",{"filename":"s","contentType":"s","updatedAt":"s","body":{"__typename":"s","on OnlineStoreThemeFileBodyText":{"content":"s"},"on OnlineStoreThemeFileBodyBase64":{"contentBase64":"s"},"on OnlineStoreThemeFileBodyUrl":{"url":"s"}}}]}]}]},
}
export const themeState: ShopifyDocument<ThemeStateQuery, ThemeStateQueryVariables> = {
  name: 'ThemeState',
  kind: 'query',
  text: "query ThemeState($id: ID!) { theme(id: $id) { name processing } }",
  shape: {"theme":["?",{"name":"s","processing":"b"}]},
}
export const upsertThemeFiles: ShopifyDocument<UpsertThemeFilesMutation, UpsertThemeFilesMutationVariables> = {
  name: 'UpsertThemeFiles',
  kind: 'mutation',
  text: "mutation UpsertThemeFiles($themeId: ID!, $files: [OnlineStoreThemeFilesUpsertFileInput!]!) { themeFilesUpsert(themeId: $themeId, files: $files) { upsertedThemeFiles { filename } job { id done } userErrors { code field filename message } } }",
  shape: {"themeFilesUpsert":["?",{"upsertedThemeFiles":["?",["*",{"filename":"s"}]],"job":["?",{"id":"s","done":"b"}],"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"filename":["?","s"],"message":"s"}]}]},
}
export const deleteThemeFiles: ShopifyDocument<DeleteThemeFilesMutation, DeleteThemeFilesMutationVariables> = {
  name: 'DeleteThemeFiles',
  kind: 'mutation',
  text: "mutation DeleteThemeFiles($themeId: ID!, $files: [String!]!) { themeFilesDelete(themeId: $themeId, files: $files) { deletedThemeFiles { filename } userErrors { code field filename message } } }",
  shape: {"themeFilesDelete":["?",{"deletedThemeFiles":["?",["*",{"filename":"s"}]],"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"filename":["?","s"],"message":"s"}]}]},
}
export const publishTheme: ShopifyDocument<PublishThemeMutation, PublishThemeMutationVariables> = {
  name: 'PublishTheme',
  kind: 'mutation',
  text: "mutation PublishTheme($id: ID!) { themePublish(id: $id) { userErrors { field message } } }",
  shape: {"themePublish":["?",{"userErrors":["*",{"field":["?",["*","s"]],"message":"s"}]}]},
}
export const jobState: ShopifyDocument<JobStateQuery, JobStateQueryVariables> = {
  name: 'JobState',
  kind: 'query',
  text: "query JobState($id: ID!) { job(id: $id) { done } }",
  shape: {"job":["?",{"done":"b"}]},
}
