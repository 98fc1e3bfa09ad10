import { connection } from '../api/connection.ts'
import { gid, idIn } from '../api/gid.ts'
import { sorted } from '../api/lists.ts'
import { searchFor } from '../api/search-query.ts'
import type { ListArgs } from '../catalogue/product-answers.ts'
import type { ApiContext } from '../api/field-access.ts'
import type { Answers, FaceParts } from '../face-parts.ts'
import type { FileRow, ShopFileStore } from './shop-files.ts'
import type { StagedUploads } from './staged-uploads.ts'

const types = /^image\/(png|jpeg|webp|gif)$/
/** How a picture begins that the platform can read. */
const beginnings = ['89504e47', 'ffd8ff', '52494646', '47494638']

type Created = {
  originalSource: string
  filename?: string | null
  alt?: string | null
  duplicateResolutionMode: 'APPEND_UUID' | 'RAISE_ERROR' | 'REPLACE'
}
type Staged = { filename: string; mimeType: string; httpMethod: string }

/** Pictures among the shop's files: uploaded to a place, then taken in, then ready. */
export function fileAnswers({ origin }: FaceParts, files: ShopFileStore, uploads: StagedUploads) {
  const urlOf = ({ name, hash }: FileRow): string =>
    `${origin}/cdn/files/${encodeURIComponent(name)}?v=${hash.slice(0, 12)}`
  const answerOf = (file: FileRow, fileStatus = 'READY'): object => {
    const image =
      fileStatus === 'READY' ? { __typename: 'Image', url: urlOf(file), altText: file.alt } : null
    return {
      __typename: 'MediaImage',
      id: gid('MediaImage', file.id),
      alt: file.alt,
      mimeType: file.type,
      createdAt: file.createdAt,
      updatedAt: file.updatedAt,
      fileStatus,
      status: fileStatus,
      fileErrors: [],
      mediaContentType: 'IMAGE',
      image,
      preview: { image, status: fileStatus },
    }
  }
  /** `to`: where the app reaches the shop; behind a proxy, as everybody. */
  const stage = ({ filename, mimeType, httpMethod }: Staged, at: number, to: string) => {
    if (httpMethod !== 'POST' || !types.test(mimeType))
      return {
        target: { url: null, resourceUrl: null, parameters: [] },
        error: {
          field: ['input', String(at)],
          message: 'This stand-in takes pictures by POST only.',
        },
      }
    const { path, source } = uploads.open(filename, mimeType)
    return {
      target: {
        url: to + path,
        resourceUrl: origin + source,
        parameters: [
          { name: 'key', value: source },
          { name: 'Content-Type', value: mimeType },
        ],
      },
      error: null,
    }
  }
  const create = (given: Created, at: number) => {
    const refuse = (code: string, message: string) => ({
      file: null,
      error: { code, message, field: ['files', String(at), 'originalSource'] },
    })
    const uploaded = uploads.uploaded(given.originalSource)
    if (!uploaded) return refuse('INVALID_IMAGE_SOURCE_URL', 'Image URL is invalid')
    const { type, body } = uploaded
    const name = given.filename ?? uploaded.name
    const isTaken = files.all().some(file => file.name === name)
    if (isTaken && given.duplicateResolutionMode === 'RAISE_ERROR')
      return refuse('FILENAME_ALREADY_EXISTS', 'A file of this name exists already')
    if (!beginnings.some(start => body.toString('hex', 0, 4).startsWith(start)))
      return refuse('INVALID', 'The file is no picture')
    const isReplacing = given.duplicateResolutionMode === 'REPLACE'
    const file = files.add({ name, alt: given.alt ?? '', type, body }, isReplacing)
    // The platform answers before it has looked at the file.
    return { file: answerOf(file, 'UPLOADED'), error: null }
  }
  const one = (id: string): object | null => {
    const found = files.all().find(file => gid('MediaImage', file.id) === id)
    return found ? answerOf(found) : null
  }
  const answers: Answers = {
    query: {
      files: ({ query, sortKey = 'ID', ...page }: ListArgs) =>
        connection(
          sorted(
            files.all().filter(
              searchFor<FileRow>(
                query,
                {
                  id: ({ id }) => id,
                  filename: ({ name }) => name,
                  media_type: () => 'image',
                  status: () => 'ready',
                },
                ({ name, alt }) => `${name} ${alt}`,
              ),
            ),
            {
              ID: ({ id }) => id,
              FILENAME: ({ name }) => name,
              CREATED_AT: file => file.createdAt,
            },
            sortKey,
            ({ id }) => id,
          ),
          page,
          ({ id }) => String(id),
          file => answerOf(file),
        ),
    },
    mutation: {
      stagedUploadsCreate: ({ input }: { input: Staged[] }, context: ApiContext) => {
        const isSame = new URL(context.origin).host === new URL(origin).host
        const to = isSame ? origin : context.origin
        const all = input.map((each, at) => stage(each, at, to))
        return {
          stagedTargets: all.map(({ target }) => target),
          userErrors: all.flatMap(({ error }) => error ?? []),
        }
      },
      fileCreate: ({ files: given }: { files: Created[] }) => {
        const all = given.map(create)
        return {
          files: all.flatMap(({ file }) => file ?? []),
          userErrors: all.flatMap(({ error }) => error ?? []),
        }
      },
      fileDelete: ({ fileIds }: { fileIds: string[] }) => {
        const missing = fileIds.filter(id => one(id) === null)
        if (missing.length > 0)
          return {
            deletedFileIds: null,
            userErrors: [
              { code: 'FILE_DOES_NOT_EXIST', field: ['fileIds'], message: 'File does not exist' },
            ],
          }
        for (const id of fileIds) files.remove(Number(idIn('MediaImage', id)))
        return { deletedFileIds: fileIds, userErrors: [] }
      },
    },
  }
  return { answers, nodes: { MediaImage: one } }
}
