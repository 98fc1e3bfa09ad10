import type { FastifyRequest } from 'fastify'
import type { Api } from '../domain/api-client.ts'
import type { StoreInfo } from '../domain/store.ts'
import type { ShellData } from './api-session.ts'

/** A signed-in merchant on a page the gate lets them see. */
export type Visit = { api: Api; shell: ShellData }
const visits = new WeakMap<FastifyRequest, Visit>()

export const admit = (request: FastifyRequest, visit: Visit): void => { visits.set(request, visit) }
export const isAdmitted = (request: FastifyRequest): boolean => visits.has(request)
export const apiOf = (request: FastifyRequest): Api => admitted(request).api
export const shellOf = (request: FastifyRequest): ShellData => admitted(request).shell
export const storeOf = (request: FastifyRequest): StoreInfo => admitted(request).shell.store

function admitted(request: FastifyRequest): Visit {
  const visit = visits.get(request)
  if (!visit) throw new Error('This route does not stand behind the gate.')
  return visit
}
