import { createHash } from 'node:crypto'
import { HttpProblem } from '../../../domain/problem.ts'
import type { Redirect } from '../../pages/redirects.ts'
import { connection } from '../api/connection.ts'
import { gid } from '../api/gid.ts'
import { searchFor } from '../api/search-query.ts'
import type { ListArgs } from '../catalogue/product-answers.ts'
import type { Answers, FaceParts } from '../face-parts.ts'

/** The platform's number for a redirect of ours. */
const numberOf = ({ id }: Redirect): number =>
  createHash('sha256').update(id).digest().readUIntBE(0, 6)
const gidOf = (redirect: Redirect): string => gid('UrlRedirect', numberOf(redirect))

/** Redirects of the shop's own. The platform has them act only where no page is. */
export function redirectAnswers({ state: { redirects } }: FaceParts) {
  const answerOf = (redirect: Redirect) => ({
    __typename: 'UrlRedirect',
    id: gidOf(redirect),
    path: redirect.path,
    target: redirect.target,
  })
  const byId = (id: string): Redirect | undefined =>
    redirects.all().find(redirect => gidOf(redirect) === id)
  const one = (id: string): object | null => {
    const found = byId(id)
    return found ? answerOf(found) : null
  }
  const missing = [
    { code: 'DOES_NOT_EXIST', field: ['id'], message: 'The URL redirect does not exist.' },
  ]
  /** Where a redirect of this path leads already, the platform says that the path is taken. */
  const create = (path: string, target: string) => {
    const refused = (field: string, message: string) => ({
      urlRedirect: null,
      userErrors: [{ code: 'CREATE_FAILED', field: ['urlRedirect', field], message }],
    })
    if (redirects.all().some(redirect => redirect.path === path))
      return refused('path', 'Path has already been taken')
    try {
      return { urlRedirect: answerOf(redirects.create(path, target)), userErrors: [] }
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error
      return refused(error.fields[0]?.field ?? 'path', error.message)
    }
  }
  const answers: Answers = {
    query: {
      urlRedirect: ({ id }: { id: string }) => one(id),
      urlRedirects: ({ query, ...page }: ListArgs) =>
        connection(
          redirects.all().filter(
            searchFor<Redirect>(
              query,
              {
                id: redirect => numberOf(redirect),
                path: ({ path }) => path,
                target: ({ target }) => target,
              },
              ({ path, target }) => `${path} ${target}`,
            ),
          ),
          page,
          ({ id }) => id,
          answerOf,
        ),
    },
    mutation: {
      urlRedirectCreate: ({
        urlRedirect: { path, target },
      }: {
        urlRedirect: { path?: string | null; target?: string | null }
      }) => create(path ?? '', target ?? ''),
      urlRedirectDelete: ({ id }: { id: string }) => {
        const found = byId(id)
        if (!found) return { deletedUrlRedirectId: null, userErrors: missing }
        redirects.remove(found.id)
        return { deletedUrlRedirectId: id, userErrors: [] }
      },
    },
  }
  return { answers, nodes: { UrlRedirect: one } }
}
