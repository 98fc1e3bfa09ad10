import type { FastifyRequest } from 'fastify'
import type { StaffUser } from '../../domain/staff-calls/users.ts'
import type { StaffApi } from '../../domain/staff/staff-contract.ts'
import { admission } from '../session/admission.ts'

/** A signed-in member of staff on a page of theirs. */
export type StaffVisit = { api: StaffApi; user: StaffUser }

export const {
  admit: admitStaff,
  isAdmitted: isStaffAdmitted,
  of: staffVisitBy,
} = admission<StaffVisit>("staff's gate")
export const staffApiOf = (request: FastifyRequest): StaffApi => staffVisitBy(request).api
export const staffUserOf = (request: FastifyRequest): StaffUser => staffVisitBy(request).user
