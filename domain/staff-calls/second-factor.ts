import * as Type from 'typebox'
import { type Call, closed, Done, Id, IdParam, Instant, Maybe } from '../api/call.ts'
import { unfinished } from '../staff/second-factor.ts'
import { StaffUser } from './users.ts'

const Code = Type.String({ maxLength: 100 })
/** The value of `device` that an earlier sign-in returned and the browser kept. */
export const Device = Type.Optional(Type.String({ maxLength: 200 }))
export const Unfinished = Maybe(Type.Enum([...unfinished]))
/**
 * `needs`: what the member must still do before the session opens anything. `device`: the browser
 * must keep it; null until the sign-in is finished.
 */
export const SignedIn = Type.Object({
  token: Type.String(),
  expiresAt: Instant,
  user: StaffUser,
  needs: Unfinished,
  device: Maybe(Type.String()),
})
const Codes = Type.Array(Type.String())

/**
 * A session of a member of staff. `network`: the /24 or /48 in which it began; empty for this
 * machine or a private network.
 */
export const StaffSession = Type.Object({
  id: Type.String(),
  startedAt: Instant,
  seenAt: Instant,
  browser: Type.String(),
  network: Type.String(),
  isOwn: Type.Boolean(),
})
export type StaffSession = Type.Static<typeof StaffSession>
const OfMember = Type.Object({ id: IdParam, session: IdParam }, closed)

const notRight = 'The code is not right, or was used before.'
const noMember = 'There is no such member of staff.'
const tooMany = 'Too many wrong tries.'

export const secondFactorCalls = {
  staffStep: {
    method: 'GET',
    path: '/api/v0/users/sign-in/step',
    about: 'What a sign-in still needs: a code, or a second factor to be set up.',
    response: Type.Object({
      needs: Unfinished,
      user: StaffUser,
      /** True when every member must have a second factor. */
      isCompulsory: Type.Boolean(),
    }),
  },
  staffCode: {
    method: 'POST',
    path: '/api/v0/users/sign-in/code',
    about:
      'Finishes a sign-in by the code of an authenticator app, or a recovery code, and answers the session that it opens.',
    body: Type.Object({ code: Code, device: Device }, closed),
    response: SignedIn,
    errors: { 400: notRight, 409: 'The sign-in needs no code.', 429: tooMany },
  },
  startSecondFactor: {
    method: 'POST',
    path: '/api/v0/users/second-factor/start',
    about:
      'The secret of a second factor that this session sets up: the same until it is confirmed.',
    response: Type.Object({
      secret: Type.String(),
      address: Type.String(),
      hasOne: Type.Boolean(),
    }),
    errors: { 409: 'The sign-in needs a code first.' },
  },
  confirmSecondFactor: {
    method: 'POST',
    path: '/api/v0/users/second-factor',
    about:
      'Confirms a new second factor with its first code. It replaces an existing one (`current`: a code of that one). Answers new recovery codes, and finishes a sign-in that needed it.',
    body: Type.Object({ code: Code, current: Type.Optional(Code), device: Device }, closed),
    response: Type.Object({ codes: Codes, signedIn: Maybe(SignedIn) }),
    errors: { 400: notRight, 409: 'Nothing is being set up.', 429: tooMany },
  },
  newRecoveryCodes: {
    method: 'POST',
    path: '/api/v0/users/second-factor/codes',
    about: 'Makes new recovery codes. The old ones stop working.',
    body: Type.Object({ code: Code, device: Device }, closed),
    response: Type.Object({ codes: Codes }),
    errors: { 400: notRight, 409: 'There is no second factor.', 429: tooMany },
  },
  endSecondFactor: {
    method: 'POST',
    path: '/api/v0/users/second-factor/end',
    about: 'Removes the second factor; not in production.',
    body: Type.Object({ code: Code, device: Device }, closed),
    response: StaffUser,
    errors: { 400: notRight, 409: 'There is none, or production asks for one.', 429: tooMany },
  },
  resetSecondFactor: {
    method: 'POST',
    path: '/api/v0/users/:id/second-factor/reset',
    about: 'Takes away another member’s second factor and recovery codes, and ends their sessions.',
    params: Id,
    response: StaffUser,
    errors: { 404: noMember, 409: 'Members cannot reset their own second factor.' },
  },
  staffSessions: {
    method: 'GET',
    path: '/api/v0/users/:id/sessions',
    about: 'Where a member of staff is signed in, the newest first.',
    params: Id,
    response: Type.Array(StaffSession),
    errors: { 404: noMember },
  },
  endStaffSession: {
    method: 'POST',
    path: '/api/v0/users/:id/sessions/:session/end',
    about: 'Ends one session of a member of staff.',
    params: OfMember,
    response: Done,
    errors: { 404: 'There is no such session.' },
  },
} as const satisfies Record<string, Call>
