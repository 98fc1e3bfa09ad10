import { GraphQLError } from 'graphql'
import { HttpProblem } from '../../../domain/problem.ts'
import type { ThemeFile, ThemeRecord } from '../../themes/themes.ts'
import { connection, type PageArgs } from '../api/connection.ts'
import { gid, idIn } from '../api/gid.ts'
import type { Answers, FaceParts } from '../face-parts.ts'
import { fileFacts } from './file-facts.ts'
import { themeWriteAnswers } from './theme-write-answers.ts'

const maxFiles = 50
const types: Record<string, string> = {
  liquid: 'application/x-liquid',
  json: 'application/json',
  css: 'text/css',
  js: 'application/javascript',
  svg: 'image/svg+xml',
}

/** Themes and their files. */
export function themeAnswers(parts: FaceParts) {
  const { themes } = parts.state
  const answerOf = ({ id, name, role, createdAt, updatedAt }: ThemeRecord) => ({
    __typename: 'OnlineStoreTheme',
    id: gid('OnlineStoreTheme', id),
    name,
    role: role === 'live' ? 'MAIN' : 'UNPUBLISHED',
    prefix: `/t/${id}`,
    processing: parts.settings.current().processingThemes.includes(id),
    processingFailed: false,
    themeStoreId: null,
    createdAt,
    updatedAt,
    files: (args: { first?: number | null; after?: string | null; filenames?: string[] | null }) =>
      filesOf(id, args),
  })
  const filesOf = (
    id: string,
    {
      filenames,
      first,
      after,
    }: { first?: number | null; after?: string | null; filenames?: string[] | null },
  ) => {
    if (filenames && filenames.length > maxFiles)
      throw new GraphQLError(
        `The input array size of ${filenames.length} is greater than the maximum allowed of ${maxFiles}.`,
      )
    const all = themes.files(id)
    const wanted = filenames?.map(matcherOf)
    const files = wanted ? all.filter(({ name }) => wanted.some(is => is(name))) : all
    return {
      ...connection(
        files,
        { first: first ?? maxFiles, ...(after != null && { after }) },
        ({ name }) => name,
        answerOfFile,
      ),
      userErrors: (filenames ?? [])
        .filter(name => !name.includes('*') && !all.some(file => file.name === name))
        .map(filename => ({ code: 'NOT_FOUND', filename })),
    }
  }
  const answerOfFile = (file: ThemeFile) => ({
    ...fileFacts(file),
    contentType: types[file.name.split('.').at(-1)!] ?? 'text/plain',
    body: { __typename: 'OnlineStoreThemeFileBodyText', content: file.body },
  })
  const one = (gidText: string): ReturnType<typeof answerOf> | null => {
    try {
      return answerOf(themes.record(idIn('OnlineStoreTheme', gidText) ?? ''))
    } catch (error) {
      if (error instanceof HttpProblem) return null
      throw error
    }
  }

  const answers: Answers = {
    query: {
      theme: ({ id }: { id: string }) => one(id),
      themes: ({
        roles,
        names,
        ...page
      }: PageArgs & { roles?: string[] | null; names?: string[] | null }) =>
        connection(
          themes
            .list()
            .filter(
              theme =>
                (roles == null || roles.includes(answerOf(theme).role)) &&
                (names == null || names.includes(theme.name)),
            ),
          page,
          ({ id }) => id,
          answerOf,
        ),
    },
    mutation: themeWriteAnswers(parts, answerOf),
  }
  return { answers, nodes: { OnlineStoreTheme: one } }
}

/** Whether a file has a name; `*` stands for any characters. */
function matcherOf(pattern: string): (name: string) => boolean {
  const pieces = pattern.split('*')
  if (pieces.length === 1) return name => name === pattern
  return name => {
    if (!name.startsWith(pieces[0]!)) return false
    let at = pieces[0]!.length
    for (const piece of pieces.slice(1, -1)) {
      const found = name.indexOf(piece, at)
      if (found < 0) return false
      at = found + piece.length
    }
    return name.length - pieces.at(-1)!.length >= at && name.endsWith(pieces.at(-1)!)
  }
}
