import * as Type from 'typebox'
import { type Call, closed } from '../call.ts'

export const StaffUser = Type.Object({
  id: Type.String(), email: Type.String(), name: Type.String(),
  /** May not sign in any more. */
  disabled: Type.Boolean(),
  createdAt: Type.String(), lastSignInAt: Type.Union([Type.String(), Type.Null()]),
})
export type StaffUser = Type.Static<typeof StaffUser>

export const userCalls = {
  staffSignIn: {
    method: 'POST', path: '/api/v0/users/sign-in', about: 'Signs a member of staff in.', token: false,
    body: Type.Object({ email: Type.String({ maxLength: 320 }), password: Type.String({ maxLength: 1024 }) }, closed),
    response: Type.Object({ token: Type.String(), expiresAt: Type.String(), user: StaffUser }), errors: { 401: 'E-mail and password do not match.' },
  },
  staffMe: { method: 'GET', path: '/api/v0/users/me', about: 'The member of staff whose token this is.', response: StaffUser },
} as const satisfies Record<string, Call>
