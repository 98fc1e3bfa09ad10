import * as Type from 'typebox'
import { type Call, closed, Done } from '../api/call.ts'
import { Device, SignedIn } from './second-factor.ts'
import { Email } from './users.ts'

const LinkToken = Type.String({ maxLength: 64 })
const deadLink = 'The link has been used, or is older than 30 minutes.'

export const signInCalls = {
  staffSignIn: {
    method: 'POST',
    path: '/api/v0/users/sign-in',
    about:
      'Signs a member of staff in, or says what that still needs. `device`: what an earlier sign-in answered; its guesses are counted apart from everybody else’s.',
    token: false,
    body: Type.Object(
      {
        email: Email,
        password: Type.String({ maxLength: 1024 }),
        device: Device,
        userAgent: Type.Optional(Type.String({ maxLength: 500 })),
      },
      closed,
    ),
    response: SignedIn,
    errors: {
      401: 'E-mail and password do not match.',
      429: 'Too many attempts on this account, or from this address.',
    },
  },
  requestPasswordLink: {
    method: 'POST',
    path: '/api/v0/users/password-links',
    about:
      'Mails a link to set a password to a member of staff. The answer is the same for an address that belongs to no member of staff.',
    token: false,
    body: Type.Object({ email: Email }, closed),
    response: Done,
  },
  passwordLink: {
    method: 'POST',
    path: '/api/v0/users/password-links/check',
    about: 'Whose password a link sets, as long as it is good.',
    token: false,
    body: Type.Object({ token: LinkToken }, closed),
    response: Type.Object({ email: Type.String(), name: Type.String() }),
    errors: { 404: deadLink },
  },
  setPassword: {
    method: 'POST',
    path: '/api/v0/users/password',
    about: 'Sets a password by a mailed link, and ends every session of its member.',
    token: false,
    body: Type.Object({ token: LinkToken, password: Type.String({ maxLength: 4096 }) }, closed),
    response: Type.Object({ ok: Type.Literal(true), device: Type.String() }),
    errors: { 404: deadLink },
  },
} as const satisfies Record<string, Call>
