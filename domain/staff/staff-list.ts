import * as Type from 'typebox'
import { closed, Page, PageSize } from '../api/call.ts'

const Search = Type.Optional(Type.String({ maxLength: 200 }))

const asked = <S extends string>(sorts: readonly S[]) => ({
  page: Page,
  perPage: PageSize,
  search: Search,
  sort: Type.Optional(Type.Unsafe<S>(Type.Enum([...sorts]))),
  descending: Type.Optional(Type.Boolean()),
})

/** The query of every list for staff: page, sort order and search. */
export const listQuery = <S extends string>(sorts: readonly S[]) =>
  Type.Object(asked(sorts), closed)
/** The same query with additional filters. */
export const narrowedQuery = <S extends string, More extends Type.TProperties>(
  sorts: readonly S[],
  more: More,
) => Type.Object({ ...asked(sorts), ...more }, closed)

/** The name of a store in staff's lists. */
export const StoreName = Type.Object({
  id: Type.String(),
  shop: Type.String(),
  name: Type.String(),
  isDemo: Type.Boolean(),
})
export type StoreName = Type.Static<typeof StoreName>
