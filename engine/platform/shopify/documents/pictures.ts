// Made from pictures.graphql by npm run shopify:types. Do not edit.
import type { ShopifyDocument } from './answer-shape.ts'

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type FileContentType =
  | 'EXTERNAL_VIDEO'
  | 'FILE'
  | 'IMAGE'
  | 'MODEL_3D'
  | 'VIDEO';

export type FileCreateInput = {
  alt?: string | null | undefined;
  contentType?: FileContentType | null | undefined;
  duplicateResolutionMode?: FileCreateInputDuplicateResolutionMode | null | undefined;
  filename?: string | null | undefined;
  originalSource: string;
};

export type FileCreateInputDuplicateResolutionMode =
  | 'APPEND_UUID'
  | 'RAISE_ERROR'
  | 'REPLACE';

export type FileStatus =
  | 'FAILED'
  | 'PROCESSING'
  | 'READY'
  | 'UPLOADED';

export type StagedUploadHttpMethodType =
  | 'POST'
  | 'PUT';

export type StagedUploadInput = {
  fileSize?: string | null | undefined;
  filename: string;
  httpMethod?: StagedUploadHttpMethodType | null | undefined;
  mimeType: string;
  resource: StagedUploadTargetGenerateUploadResource;
};

export type StagedUploadTargetGenerateUploadResource =
  | 'BULK_MUTATION_VARIABLES'
  | 'COLLECTION_IMAGE'
  | 'DISPUTE_FILE_UPLOAD'
  | 'FILE'
  | 'IMAGE'
  | 'MODEL_3D'
  | 'PRODUCT_IMAGE'
  | 'RETURN_LABEL'
  | 'SHOP_IMAGE'
  | 'URL_REDIRECT_IMPORT'
  | 'VIDEO';

export type PicturesQueryVariables = Exact<{
  query: string;
}>;


export type PicturesQuery = { files: { nodes: Array<{ __typename: 'MediaImage', id: string, alt: string | null, fileStatus: FileStatus, image: { url: string } | null }> } };

export type StagePictureMutationVariables = Exact<{
  upload: Array<StagedUploadInput>;
}>;


export type StagePictureMutation = { stagedUploadsCreate: { stagedTargets: Array<{ url: string | null, resourceUrl: string | null, parameters: Array<{ name: string, value: string }> }> | null, userErrors: Array<{ field: Array<string> | null, message: string }> } | null };

export type CreatePictureMutationVariables = Exact<{
  files: Array<FileCreateInput>;
}>;


export type CreatePictureMutation = { fileCreate: { files: Array<{ __typename: 'MediaImage', id: string }> | null, userErrors: Array<{ code: string | null, field: Array<string> | null, message: string }> } | null };

export type DeletePicturesMutationVariables = Exact<{
  ids: Array<string>;
}>;


export type DeletePicturesMutation = { fileDelete: { userErrors: Array<{ code: string | null, field: Array<string> | null, message: string }> } | null };

export const pictures: ShopifyDocument<PicturesQuery, PicturesQueryVariables> = {
  name: 'Pictures',
  kind: 'query',
  text: "query Pictures($query: String!) { files(first: 10, query: $query) { nodes { __typename ... on MediaImage { id alt fileStatus image { url } } } } }",
  shape: {"files":{"nodes":["*",{"__typename":"s","on MediaImage":{"id":"s","alt":["?","s"],"fileStatus":"s","image":["?",{"url":"s"}]}}]}},
}
export const stagePicture: ShopifyDocument<StagePictureMutation, StagePictureMutationVariables> = {
  name: 'StagePicture',
  kind: 'mutation',
  text: "mutation StagePicture($upload: [StagedUploadInput!]!) { stagedUploadsCreate(input: $upload) { stagedTargets { url resourceUrl parameters { name value } } userErrors { field message } } }",
  shape: {"stagedUploadsCreate":["?",{"stagedTargets":["?",["*",{"url":["?","s"],"resourceUrl":["?","s"],"parameters":["*",{"name":"s","value":"s"}]}]],"userErrors":["*",{"field":["?",["*","s"]],"message":"s"}]}]},
}
export const createPicture: ShopifyDocument<CreatePictureMutation, CreatePictureMutationVariables> = {
  name: 'CreatePicture',
  kind: 'mutation',
  text: "mutation CreatePicture($files: [FileCreateInput!]!) { fileCreate(files: $files) { files { __typename ... on MediaImage { id } } userErrors { code field message } } }",
  shape: {"fileCreate":["?",{"files":["?",["*",{"__typename":"s","on MediaImage":{"id":"s"}}]],"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"message":"s"}]}]},
}
export const deletePictures: ShopifyDocument<DeletePicturesMutation, DeletePicturesMutationVariables> = {
  name: 'DeletePictures',
  kind: 'mutation',
  text: "mutation DeletePictures($ids: [ID!]!) { fileDelete(fileIds: $ids) { userErrors { code field message } } }",
  shape: {"fileDelete":["?",{"userErrors":["*",{"code":["?","s"],"field":["?",["*","s"]],"message":"s"}]}]},
}
