import * as Type from 'typebox'
import { Audience, AudienceConditions, AudienceInput } from '../audiences/audience.ts'
import { type Call, closed, Done, Id, IdParam, Maybe } from '../api/call.ts'
import { testStatuses } from '../tests/test-status.ts'

const changed = {
  403: 'The plan has no audiences of its own.',
  409: 'Another audience has this name, the audience is built in, or an unfinished test uses it.',
}

export const audienceCalls = {
  audiences: {
    method: 'GET',
    path: '/api/v0/audiences',
    about: 'The store’s own audiences by name, then those that every store has.',
    response: Type.Array(Audience),
  },
  createAudience: {
    method: 'POST',
    path: '/api/v0/audiences',
    about: 'Makes an audience.',
    body: AudienceInput,
    response: Audience,
    errors: changed,
  },
  previewAudience: {
    method: 'POST',
    path: '/api/v0/audiences/preview',
    about:
      'How many of the visitors of the last 28 full days would have been in an audience: by its conditions, or in any of the named ones. Judged by their first visit of those days.',
    body: Type.Object(
      {
        values: Type.Optional(AudienceConditions),
        audienceIds: Type.Optional(Type.Array(IdParam, { minItems: 1, maxItems: 10 })),
      },
      closed,
    ),
    response: Type.Object({
      visitors: Type.Integer(),
      matching: Type.Integer(),
      share: Maybe(Type.Number()),
      /** True when a condition uses a part of an address that we do not keep. */
      isBlind: Type.Boolean(),
    }),
    errors: {
      400: 'Neither conditions nor audiences are given, or an audience does not exist.',
      403: changed[403],
    },
  },
  updateAudience: {
    method: 'PUT',
    path: '/api/v0/audiences/:id',
    about: 'Renames an audience or, while no unfinished test uses it, changes its conditions.',
    params: Id,
    body: AudienceInput,
    response: Audience,
    errors: changed,
  },
  deleteAudience: {
    method: 'DELETE',
    path: '/api/v0/audiences/:id',
    about: 'Deletes an audience that no unfinished test uses.',
    params: Id,
    response: Done,
    errors: changed,
  },
  audienceActiveTest: {
    method: 'GET',
    path: '/api/v0/audiences/:id/active-test',
    about: 'The running test that uses an audience, the latest of several.',
    params: Id,
    response: Type.Object({
      test: Maybe(
        Type.Object({
          id: Type.String(),
          title: Type.String(),
          status: Type.Enum([...testStatuses]),
        }),
      ),
    }),
  },
} as const satisfies Record<string, Call>
