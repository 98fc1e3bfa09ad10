import type { FastifyRequest } from 'fastify'
import type { StaffUser } from '../../domain/staff-calls/users.ts'
import type { StaffApi, StaffOutput } from '../../domain/staff/staff-contract.ts'

/** A signed-in member of staff on a page of their panel. */
export type StaffVisit = {
  api: StaffApi
  user: StaffUser
  /** The counts in the menu. */
  menu: StaffOutput<'staffMenu'>
}

export const admitStaff = (request: FastifyRequest, visit: StaffVisit): void => {
  request.staffVisit = visit
}
export const isStaffAdmitted = ({ staffVisit }: Partial<FastifyRequest>): boolean =>
  Boolean(staffVisit)
/** Throws on a route that is not behind the staff gate. */
export function staffVisitBy({ staffVisit }: FastifyRequest): StaffVisit {
  if (!staffVisit) throw new Error("This route is not behind staff's gate.")
  return staffVisit
}
export const staffApiOf = (request: FastifyRequest): StaffApi => staffVisitBy(request).api
export const staffUserOf = (request: FastifyRequest): StaffUser => staffVisitBy(request).user
