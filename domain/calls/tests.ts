import * as Type from 'typebox'
import { listSorts, listTabs, Test, TestListItem, TestUpdate } from '../ab-test.ts'
import { type Call, closed, Done, Id } from '../call.ts'
import { TestDraft } from '../draft.ts'

export const testCalls = {
  tests: {
    method: 'GET', path: '/api/v0/tests',
    query: Type.Object({
      page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
      perPage: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
      status: Type.Optional(Type.Enum([...listTabs])),
      sort: Type.Optional(Type.Enum([...listSorts])),
      descending: Type.Optional(Type.Boolean()),
      search: Type.Optional(Type.String({ maxLength: 200 })),
    }, closed),
    response: Type.Object({
      /** Empty for `status=Draft`; then `drafts` holds the page. */
      tests: Type.Array(TestListItem),
      drafts: Type.Array(Type.Object({ id: Type.String(), kind: TestDraft.properties.kind, title: Type.String(), goal: TestDraft.properties.goal, createdAt: Type.String(), updatedAt: Type.String() })),
      count: Type.Integer(),
      /** How many there are in each tab, whatever was asked for. */
      counts: Type.Record(Type.Enum([...listTabs]), Type.Integer()),
      /** Over all running tests: ids of those with a verdict, the oldest first, and how many have none yet. */
      digest: Type.Object({ winners: Type.Array(Type.String()), losers: Type.Array(Type.String()), undecided: Type.Integer() }),
    }),
  },
  test: { method: 'GET', path: '/api/v0/tests/:id', params: Id, response: Test },
  updateTest: { method: 'PUT', path: '/api/v0/tests/:id', params: Id, body: TestUpdate, response: Test },
  deleteTest: { method: 'DELETE', path: '/api/v0/tests/:id', params: Id, response: Done },
} as const satisfies Record<string, Call>
