import type {} from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type StaffApi,
  type StaffCallName,
  staffContract,
  type StaffInput,
} from '../../domain/staff/staff-contract.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { read } from '../upstream/upstream-calls.ts'

export type StaffCookie = {
  of: (request: FastifyRequest) => string | undefined
  /**
   * `device`: a token that marks this browser as one where the member has signed in. It is kept
   * longer than the session.
   */
  set: (reply: FastifyReply, token: string, expiresAt: string, device: string | null) => void
  /** Sets the device's token without a session, after a mailed link. */
  setDevice: (reply: FastifyReply, device: string) => void
  device: (request: FastifyRequest) => { device?: string }
  clear: (reply: FastifyReply) => void
}

/** The longest time that browsers keep a cookie: 400 days. */
const deviceSeconds = 400 * 24 * 60 * 60

/**
 * The cookies of a staff session. Nobody may frame staff's pages, so browsers send these cookies
 * only from the app's own pages.
 */
export function staffCookie(appOrigin: string): StaffCookie {
  const isSecure = appOrigin.startsWith('https:')
  const name = isSecure ? '__Host-twinshelf_staff' : 'twinshelf_staff'
  const deviceName = `${name}_device`
  const options = {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    ...(isSecure && { secure: true }),
  } as const
  const setDevice: StaffCookie['setDevice'] = (reply, device) => {
    reply.setCookie(deviceName, device, { ...options, maxAge: deviceSeconds })
  }
  return {
    // A browser can send any cookie. Only what can be a token goes into a header.
    of: ({ cookies }) =>
      /^staff-[\w-]{43}$/.test(cookies?.[name] ?? '') ? cookies[name] : undefined,
    set: (reply, token, expiresAt, device) => {
      reply.setCookie(name, token, { ...options, expires: new Date(expiresAt) })
      if (device !== null) setDevice(reply, device)
    },
    setDevice,
    device: ({ cookies }) =>
      /^[\w-]{16}\.[\w-]{43}$/.test(cookies?.[deviceName] ?? '')
        ? { device: cookies[deviceName]! }
        : {},
    clear: reply => {
      reply.clearCookie(name, options)
    },
  }
}

/**
 * The API with the token of a member of staff. Nothing is cached between calls, and no token is
 * refreshed (requirements 16.18).
 */
export function staffApi(upstream: Upstream, token: string): StaffApi {
  const call = async (name: StaffCallName, input: StaffInput<StaffCallName>) => {
    const text = await upstream.sendForStaff(name, input, token)
    return text === null ? null : read(name, text)
  }
  return Object.fromEntries(
    (Object.keys(staffContract) as StaffCallName[]).map(name => [
      name,
      (input: StaffInput<StaffCallName>) => call(name, input),
    ]),
  ) as StaffApi
}
