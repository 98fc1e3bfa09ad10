import type {} from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type StaffApi, type StaffCallName, staffContract, type StaffInput } from '../domain/staff-contract.ts'
import { read, type Upstream } from './upstream.ts'

export type StaffCookie = {
  of: (request: FastifyRequest) => string | undefined
  set: (reply: FastifyReply, token: string, expiresAt: string) => void
  clear: (reply: FastifyReply) => void
}

/** What a browser holds of a staff session. Staff's pages stand in nobody's frame, so it goes along from our own pages alone. */
export function staffCookie(appOrigin: string): StaffCookie {
  const isSecure = appOrigin.startsWith('https:')
  const name = isSecure ? '__Host-twinshelf_staff' : 'twinshelf_staff'
  const options = { path: '/', httpOnly: true, sameSite: 'strict', ...(isSecure && { secure: true }) } as const
  return {
    // A browser can send any cookie; only what could be a token goes into a header.
    of: ({ cookies }) => (/^staff-[\w-]{43}$/.test(cookies?.[name] ?? '') ? cookies[name] : undefined),
    set: (reply, token, expiresAt) => { reply.setCookie(name, token, { ...options, expires: new Date(expiresAt) }) },
    clear: reply => { reply.clearCookie(name, options) },
  }
}

/** The API as the member of staff with this token may call it. Nothing is kept between calls, and no token is refreshed (spec §6). */
export function staffApi(upstream: Upstream, token: string): StaffApi {
  const call = async (name: StaffCallName, input: StaffInput<StaffCallName>) => {
    const text = await upstream.sendForStaff(name, input, token)
    return text === null ? null : read(name, text)
  }
  return Object.fromEntries((Object.keys(staffContract) as StaffCallName[]).map(name => [name, (input: StaffInput<StaffCallName>) => call(name, input)])) as StaffApi
}
