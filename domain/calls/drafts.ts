import * as Type from 'typebox'
import { type Call, closed, Done, Id } from '../call.ts'
import { DomSelector } from '../dom-selector.ts'
import { DraftCreate, DraftUpdate, TestDraft } from '../draft.ts'

export const draftCalls = {
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
} as const satisfies Record<string, Call>
