import { randomUUID } from 'node:crypto'
import { GraphQLError } from 'graphql'
import { HttpProblem } from '../../../domain/problem.ts'
import type { ThemeRecord } from '../../themes/themes.ts'
import { gid, idIn } from '../api/gid.ts'
import type { FaceParts } from '../face-parts.ts'
import { fileFacts } from './file-facts.ts'

type FileError = { code: string; field: string[] | null; filename: string | null; message: string }
type Upsert = { filename: string; body: { type: string; value: string } }
const maxFiles = 50

/**
 * Writes to themes, for apps with the platform's exemption. Files are written one by one, so that a
 * part may be done when one of them is refused.
 */
export function themeWriteAnswers(
  { state: { themes, faults }, settings }: FaceParts,
  answerOf: (theme: ThemeRecord) => object,
) {
  const requireExemption = (name: string): void => {
    if (settings.current().themeWrites) return
    const requiredAccess =
      '`write_themes` access scope. Also: The user needs write_themes and an exemption from Shopify to modify themes.'
    throw new GraphQLError(`Access denied for ${name} field. Required access: ${requiredAccess}`, {
      extensions: {
        code: 'ACCESS_DENIED',
        documentation: 'https://shopify.dev/api/usage/access-scopes',
        requiredAccess,
      },
    })
  }
  const idOf = (gidText: string): string | null => {
    const id = idIn('OnlineStoreTheme', gidText) ?? ''
    return themes.list().some(theme => theme.id === id) ? id : null
  }
  /** What is against any write to a theme: that it is not there, or not made yet. */
  const against = (id: string | null): FileError | null =>
    id === null
      ? missing
      : settings.current().processingThemes.includes(id)
        ? {
            code: 'THEME_FILES_CONFLICT',
            field: ['themeId'],
            filename: null,
            message: 'Theme is still being processed',
          }
        : null
  const missing: FileError = {
    code: 'NOT_FOUND',
    field: ['themeId'],
    filename: null,
    message: 'Theme does not exist',
  }
  /** Does each part of a write; a part that fails gives an error and the others are done. */
  const eachOf = async <T>(
    parts: readonly T[],
    nameOf: (part: T) => string,
    write: (part: T) => Promise<void>,
  ): Promise<{ done: T[]; userErrors: FileError[] }> => {
    const done: T[] = [],
      userErrors: FileError[] = []
    const passing = faults.current() ? faults.passing(parts.length) : parts.length
    for (const [at, part] of parts.entries())
      try {
        if (at >= passing) throw new HttpProblem(422, 'The shop refused this part of the write.')
        await write(part)
        done.push(part)
      } catch (error) {
        if (!(error instanceof HttpProblem)) throw error
        userErrors.push({
          code: error.status === 404 ? 'NOT_FOUND' : 'FILE_VALIDATION_ERROR',
          field: ['files', String(at)],
          filename: nameOf(part),
          message: error.message,
        })
      }
    return { done, userErrors }
  }
  const tooMany = (count: number): void => {
    if (count > maxFiles)
      throw new GraphQLError(
        `The input array size of ${count} is greater than the maximum allowed of ${maxFiles}.`,
      )
  }
  const factsOf = (id: string, names: string[]) => {
    const all = themes.files(id, names)
    return names.flatMap(name => all.filter(file => file.name === name).map(fileFacts))
  }

  return {
    themeFilesUpsert: async ({ themeId, files }: { themeId: string; files: Upsert[] }) => {
      requireExemption('themeFilesUpsert')
      tooMany(files.length)
      const id = idOf(themeId)
      const problem = against(id)
      if (id === null || problem)
        return { upsertedThemeFiles: null, job: null, userErrors: [problem ?? missing] }
      const twice = files.find(
        ({ filename }, at) => files.findIndex(file => file.filename === filename) < at,
      )
      if (twice)
        return {
          upsertedThemeFiles: null,
          job: null,
          userErrors: [
            {
              code: 'DUPLICATE_FILE_INPUT',
              field: ['files'],
              filename: twice.filename,
              message: 'A file is named twice.',
            },
          ],
        }
      const { done, userErrors } = await eachOf(
        files,
        ({ filename }) => filename,
        ({ filename, body: { type, value } }) => {
          if (type === 'URL') throw new HttpProblem(422, 'This stand-in fetches no files.')
          const body = type === 'BASE64' ? Buffer.from(value, 'base64').toString('utf8') : value
          return themes.write(id, [{ name: filename, body }])
        },
      )
      return {
        upsertedThemeFiles: factsOf(
          id,
          done.map(({ filename }) => filename),
        ),
        job: { __typename: 'Job', id: gid('Job', randomUUID()), done: true },
        userErrors,
      }
    },
    themeFilesCopy: async ({
      themeId,
      files,
    }: {
      themeId: string
      files: { srcFilename: string; dstFilename: string }[]
    }) => {
      requireExemption('themeFilesCopy')
      tooMany(files.length)
      const id = idOf(themeId)
      const problem = against(id)
      if (id === null || problem)
        return { copiedThemeFiles: null, userErrors: [problem ?? missing] }
      const { done, userErrors } = await eachOf(
        files,
        ({ srcFilename }) => srcFilename,
        async ({ srcFilename, dstFilename }) => {
          const [file] = themes.files(id, [srcFilename])
          if (!file) throw new HttpProblem(404, 'There is no such file.')
          await themes.write(id, [{ name: dstFilename, body: file.body }])
        },
      )
      return {
        copiedThemeFiles: factsOf(
          id,
          done.map(({ dstFilename }) => dstFilename),
        ),
        userErrors,
      }
    },
    themeFilesDelete: async ({ themeId, files }: { themeId: string; files: string[] }) => {
      requireExemption('themeFilesDelete')
      tooMany(files.length)
      const id = idOf(themeId)
      const problem = against(id)
      if (id === null || problem)
        return { deletedThemeFiles: null, userErrors: [problem ?? missing] }
      const facts = new Map(factsOf(id, files).map(each => [each.filename, each]))
      const { done, userErrors } = await eachOf(
        files,
        name => name,
        async name => {
          if (!facts.has(name)) throw new HttpProblem(404, 'There is no such file.')
          await themes.remove(id, [name])
        },
      )
      return { deletedThemeFiles: done.map(name => facts.get(name)!), userErrors }
    },
    themeDuplicate: ({ id: given, name }: { id: string; name?: string | null }) => {
      requireExemption('themeDuplicate')
      const id = idOf(given)
      const refused = (message: string) => ({
        newTheme: null,
        userErrors: [{ code: 'NOT_FOUND', field: ['id'], message }],
      })
      if (id === null) return refused('Theme does not exist')
      try {
        const copy = themes.duplicate(id, name ?? `Copy of ${themes.record(id).name}`)
        return { newTheme: answerOf(copy), userErrors: [] }
      } catch (error) {
        if (error instanceof HttpProblem) return refused(error.message)
        throw error
      }
    },
    themePublish: ({ id: given }: { id: string }) => {
      requireExemption('themePublish')
      const id = idOf(given)
      if (id === null)
        return {
          theme: null,
          userErrors: [{ code: 'NOT_FOUND', field: ['id'], message: 'Theme does not exist' }],
        }
      themes.publish(id)
      return { theme: answerOf(themes.record(id)), userErrors: [] }
    },
    themeDelete: ({ id: given }: { id: string }) => {
      requireExemption('themeDelete')
      const id = idOf(given)
      const refused = (message: string) => ({
        deletedThemeId: null,
        userErrors: [{ code: 'NOT_FOUND', field: ['id'], message }],
      })
      if (id === null) return refused('Theme does not exist')
      if (themes.record(id).role === 'live') return refused('The main theme cannot be deleted')
      themes.removeTheme(id)
      return { deletedThemeId: given, userErrors: [] }
    },
  }
}
