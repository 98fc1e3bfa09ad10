import * as Type from 'typebox'
import { type Call, closed, Done, Id, Instant, Maybe } from '../api/call.ts'
import { listQuery } from '../staff/staff-list.ts'

export const StaffUser = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  /** The member may no longer sign in. */
  disabled: Type.Boolean(),
  /** The member has not set a password yet. */
  invited: Type.Boolean(),
  /** The member also needs a code to sign in. */
  secondFactor: Type.Boolean(),
  createdAt: Instant,
  lastSignInAt: Maybe(Instant),
})
export type StaffUser = Type.Static<typeof StaffUser>

export const staffUserSorts = ['name', 'createdAt', 'lastSignInAt'] as const

/**
 * Something that a member of staff did. `by`: null for the system, or for a person who was not
 * signed in.
 */
export const StaffAct = Type.Object({
  at: Instant,
  by: Maybe(Type.Object({ id: Type.String(), name: Type.String() })),
  act: Type.String(),
  detail: Maybe(Type.String()),
})
export type StaffAct = Type.Static<typeof StaffAct>

/** The rules in staff-user.ts check the real limits, with messages for people. */
export const Email = Type.String({ maxLength: 1000 })
const Name = Type.String({ maxLength: 1000 })
/** `mailed`: true when a mail was sent; false when no mail is configured. */
const Mailed = Type.Object({ user: StaffUser, mailed: Type.Boolean() })
const noMember = 'There is no such member of staff.'

export const userCalls = {
  staffSignOut: {
    method: 'POST',
    path: '/api/v0/users/sign-out',
    about: 'Ends the session whose token this is.',
    response: Done,
  },
  staffMe: {
    method: 'GET',
    path: '/api/v0/users/me',
    about: 'The member of staff whose token this is.',
    response: StaffUser,
  },
  staffUsers: {
    method: 'GET',
    path: '/api/v0/users',
    about: 'Members of staff, some at a time.',
    query: listQuery(staffUserSorts),
    response: Type.Object({ users: Type.Array(StaffUser), count: Type.Integer() }),
  },
  staffUser: {
    method: 'GET',
    path: '/api/v0/users/:id',
    about: 'One member of staff.',
    params: Id,
    response: StaffUser,
    errors: { 404: noMember },
  },
  staffActs: {
    method: 'GET',
    path: '/api/v0/users/:id/acts',
    about:
      'The last twenty things that a member of staff did or that were done to their account, newest first.',
    params: Id,
    response: Type.Array(StaffAct),
    errors: { 404: noMember },
  },
  addStaffUser: {
    method: 'POST',
    path: '/api/v0/users',
    about: 'Adds a member of staff and mails an invitation.',
    body: Type.Object({ email: Email, name: Name }, closed),
    response: Mailed,
    errors: { 409: 'This email address is already in use.' },
  },
  renameStaffUser: {
    method: 'PUT',
    path: '/api/v0/users/:id',
    about: 'Renames a member of staff.',
    params: Id,
    body: Type.Object({ name: Name }, closed),
    response: StaffUser,
    errors: { 404: noMember },
  },
  disableStaffUser: {
    method: 'PUT',
    path: '/api/v0/users/:id/disabled',
    about:
      'Keeps a member of staff from signing in and ends their sessions, or lets them in again.',
    params: Id,
    body: Type.Object({ disabled: Type.Boolean() }, closed),
    response: StaffUser,
    errors: { 404: noMember, 409: 'Members cannot disable themselves.' },
  },
  sendPasswordLink: {
    method: 'POST',
    path: '/api/v0/users/:id/password-link',
    about: 'Mails a member of staff a new link to set a password.',
    params: Id,
    response: Mailed,
    errors: {
      404: noMember,
      409: 'The account is disabled.',
      429: 'Enough links were sent for now.',
    },
  },
  signOutStaffUser: {
    method: 'POST',
    path: '/api/v0/users/:id/sign-out',
    about: 'Ends every session of a member of staff.',
    params: Id,
    response: Type.Object({ ended: Type.Integer() }),
    errors: { 404: noMember },
  },
} as const satisfies Record<string, Call>
