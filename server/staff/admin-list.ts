import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FieldProblem, HttpProblem } from '../../domain/problem.ts'
import { perPage, type StaffListState } from '../../views/staff/admin-list-state.ts'
import { seeOther } from '../page/page.ts'
import { pathOf, queryOf } from '../http/query.ts'

type Form<S extends string> = {
  sorts: readonly S[]
  usual: { sort: S; descending: boolean }
  /** The filters of the list, with the values that each may have. */
  filters?: Record<string, readonly string[]>
}
export type ListState<S extends string> = StaffListState & { sort: S }

/** The state of a list, from its address. Invalid values count as the defaults. */
export function listState<S extends string>(
  request: FastifyRequest,
  { sorts, usual, filters = {} }: Form<S>,
): ListState<S> {
  const query = queryOf(request)
  const sort = sorts.find(name => name === query.get('sort')) ?? usual.sort
  const order = query.get('order'),
    number = Number(query.get('page') ?? 1)
  return {
    path: pathOf(request),
    search: (query.get('search') ?? '').replaceAll('\0', '').toWellFormed().trim().slice(0, 200),
    sort,
    usual,
    perPage,
    descending:
      order === 'ascending' || order === 'descending'
        ? order === 'descending'
        : sort === usual.sort && usual.descending,
    page: Number.isInteger(number) && number > 1 && number < 10_000 ? number - 1 : 0,
    filters: Object.fromEntries(
      Object.entries(filters).map(([name, values]) => [
        name,
        values.find(value => value === query.get(name)) ?? '',
      ]),
    ),
  }
}

/** The query of the API's call for this state. */
export const listAsked = <S extends string>({
  page,
  perPage,
  sort,
  descending,
  search,
}: ListState<S>) => ({ page, perPage, sort, descending, ...(search && { search }) })

/**
 * Redirects to the first page when the page is beyond the end: someone typed it, or rows have gone.
 * Null when the page exists.
 */
export function beyondTheEnd(
  request: FastifyRequest,
  reply: FastifyReply,
  { page, perPage }: StaffListState,
  count: number,
): FastifyReply | null {
  if (page === 0 || page * perPage < count) return null
  const query = queryOf(request)
  query.delete('page')
  return seeOther(request, reply, query.size > 0 ? `${pathOf(request)}?${query}` : pathOf(request))
}

export type Posted = { Body: Record<string, unknown> }
export type PostedWithId = Posted & { Params: { id: string } }
/** One field of a form; empty when it is not there. */
export const fieldText = (body: Record<string, unknown> | undefined, name: string): string => {
  const value = body?.[name]
  return typeof value === 'string' ? value : ''
}

/** The problems of a form's fields in a refusal of the API. Throws every other error again. */
export function refusedFields(error: unknown): FieldProblem[] {
  if (error instanceof HttpProblem && error.status < 500 && error.fields.length > 0)
    return error.fields
  throw error
}
