import type { FastifyRequest } from 'fastify'
import type { StaffUser } from '../domain/staff-calls/users.ts'
import type { StaffApi } from '../domain/staff-contract.ts'

/** A signed-in member of staff on a page of theirs. */
export type StaffVisit = { api: StaffApi; user: StaffUser }
const visits = new WeakMap<FastifyRequest, StaffVisit>()

export const admitStaff = (request: FastifyRequest, visit: StaffVisit): void => { visits.set(request, visit) }
export const isStaffAdmitted = (request: FastifyRequest): boolean => visits.has(request)
export const staffApiOf = (request: FastifyRequest): StaffApi => admitted(request).api
export const staffUserOf = (request: FastifyRequest): StaffUser => admitted(request).user

function admitted(request: FastifyRequest): StaffVisit {
  const visit = visits.get(request)
  if (!visit) throw new Error('This route does not stand behind staff\'s gate.')
  return visit
}
