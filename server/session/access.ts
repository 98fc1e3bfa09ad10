import type { FastifyRequest } from 'fastify'
import { type Access, can, type Capability } from '../../domain/access.ts'
import { isLockedOut } from '../../domain/startup.ts'
import type { ShellData } from '../upstream/api-session.ts'
import { shellOf } from './visit.ts'

/**
 * What a store may use by its plan and its feature flags. The plan of a lapsed subscription gives
 * nothing.
 */
export const accessOf = ({ store, status, plans }: ShellData): Access => ({
  plan: isLockedOut({ store, status }) ? undefined : plans.find(({ id }) => id === store.planId),
  features: store.features,
})

/** Whether the merchant of this request may use the capability. */
export const isOpen = (request: FastifyRequest, capability: Capability): boolean =>
  can(capability, accessOf(shellOf(request)))
