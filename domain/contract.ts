import * as Type from 'typebox'
import { listSorts, listTabs, Test, TestListItem, TestUpdate } from './ab-test.ts'
import { DomSelector } from './dom-selector.ts'
import { DraftCreate, DraftUpdate, TestDraft } from './draft.ts'
import { Plan } from './plan.ts'
import { StoreInfo, StoreStatus } from './store.ts'
import { DailyPoint } from './summary.ts'

/**
 * Every call of the API, once (design.md §4). The engine's routes, the app's client and, later, the OpenAPI document
 * are built from this table; adding a call is one row here and one handler in the engine.
 */
export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  params?: Type.TObject
  query?: Type.TObject
  body?: Type.TSchema
  response: Type.TSchema
  /** False: called without a token, and none is refreshed for it (spec §6). */
  token?: false
  /** Statuses that mean "none" to the client, which then answers null. */
  none?: readonly number[]
}

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) }, { additionalProperties: false })
const closed = { additionalProperties: false } as const
const Done = Type.Object({ ok: Type.Literal(true) })

export const AuthInput = Type.Union([
  Type.Object({ idToken: Type.String({ maxLength: 4096 }) }, closed),
  Type.Object({ refreshToken: Type.String({ maxLength: 512 }) }, closed),
])
export const AuthTokens = Type.Object({
  token: Type.String(), expiresAt: Type.String(), refreshToken: Type.String(), refreshExpiresAt: Type.String(), shop: Type.String(),
})
export type AuthTokens = Type.Static<typeof AuthTokens>

export const contract = {
  auth: { method: 'POST', path: '/auth', body: AuthInput, response: AuthTokens, token: false },
  about: {
    method: 'GET', path: '/api/v0/about', token: false,
    response: Type.Object({
      google: Type.Object({ analytics: Type.Object({ gtm: Type.Union([Type.String(), Type.Null()]) }) }),
      segment: Type.Object({ writeKey: Type.Union([Type.String(), Type.Null()]) }),
      version: Type.String(),
    }),
  },
  storeInfo: { method: 'GET', path: '/api/v0/stores/info', response: StoreInfo },
  storeStatus: { method: 'GET', path: '/api/v0/stores/status', response: StoreStatus },
  plans: { method: 'GET', path: '/api/v0/plans', response: Type.Array(Plan) },

  createDraft: { method: 'POST', path: '/api/v0/test-drafts', body: DraftCreate, response: TestDraft },
  draft: { method: 'GET', path: '/api/v0/test-drafts/:id', params: Id, response: TestDraft },
  updateDraft: { method: 'PUT', path: '/api/v0/test-drafts/:id', params: Id, body: DraftUpdate, response: TestDraft },
  deleteDraft: { method: 'DELETE', path: '/api/v0/test-drafts/:id', params: Id, response: Done },
  launchDraft: { method: 'POST', path: '/api/v0/test-drafts/:id/launch', params: Id, response: Type.Object({ testId: Type.String() }) },
  /** {id} is the hypothesis of the variant arm; replaces its selectors. */
  setDomSelectors: {
    method: 'POST', path: '/api/v0/hypotheses/:id/dom-selectors', params: Id,
    body: Type.Object({ domSelectors: Type.Array(DomSelector, { maxItems: 10 }) }, closed), response: Type.Array(DomSelector),
  },
  validateRedirectUrl: {
    method: 'GET', path: '/api/v0/test-drafts/validate-redirect-url',
    query: Type.Object({ redirectUrl: Type.String({ minLength: 1, maxLength: 2048 }) }, closed),
    response: Type.Object({ url: Type.String() }),
  },
  urlSearch: {
    method: 'GET', path: '/api/v0/test-drafts/url-search',
    query: Type.Object({ searchText: Type.String({ maxLength: 200 }) }, closed),
    response: Type.Array(Type.Object({ url: Type.String(), title: Type.String() })),
  },

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
  /** {metric}: one of spec §3's; this slice answers the five goals' names. An unknown one is 404. */
  dailyBy: {
    method: 'GET', path: '/api/v0/tests/:id/daily/by-:metric',
    params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }), metric: Type.String({ maxLength: 40 }) }, closed),
    response: Type.Array(DailyPoint),
  },
} as const satisfies Record<string, Call>

export type Contract = typeof contract
export type CallName = keyof Contract
type Part<C, K extends string> = C extends { [P in K]: infer S extends Type.TSchema } ? { [P in K]: Type.Static<S> } : object
/** What a caller hands over: params, query and body, each where the call declares it. */
export type Input<N extends CallName> = Part<Contract[N], 'params'> & Part<Contract[N], 'query'> & Part<Contract[N], 'body'>
export type Output<N extends CallName> = Type.Static<Contract[N]['response']> | (Contract[N] extends { none: readonly number[] } ? null : never)
