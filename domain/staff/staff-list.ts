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

/** What every list of staff's is asked by: a page of it, in an order, of what the search finds. */
export const listQuery = <S extends string>(sorts: readonly S[]) =>
  Type.Object(asked(sorts), closed)
/** The same, with what narrows it besides. */
export const narrowedQuery = <S extends string, More extends Type.TProperties>(
  sorts: readonly S[],
  more: More,
) => Type.Object({ ...asked(sorts), ...more }, closed)

/** A store as staff's lists name it. */
export const StoreName = Type.Object({
  id: Type.String(),
  shop: Type.String(),
  name: Type.String(),
  isDemo: Type.Boolean(),
})
export type StoreName = Type.Static<typeof StoreName>
