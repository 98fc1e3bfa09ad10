import type { FastifyRequest } from 'fastify'
import type { Api } from '../../domain/api/api-client.ts'
import type { StoreInfo } from '../../domain/stores/store.ts'
import type { ApiSession, ShellData } from '../upstream/api-session.ts'

/** A signed-in merchant on a page the gate lets them see. */
export type Visit = {
  api: Api
  shell: ShellData
  download: ApiSession['download']
  /** Drops the cached store, so that the next page reads it again. */ forget: () => void
}

export const admit = (request: FastifyRequest, visit: Visit): void => {
  request.visit = visit
}
/** Also answers for a request that was refused before `requestState` gave it its properties. */
export const isAdmitted = ({ visit }: Partial<FastifyRequest>): boolean => Boolean(visit)
/** Throws on a route that is not behind the gate. */
export function visitBy({ visit }: FastifyRequest): Visit {
  if (!visit) throw new Error('This route is not behind the gate.')
  return visit
}
export const apiOf = (request: FastifyRequest): Api => visitBy(request).api
/** Fetches files from the API with the merchant's token. */
export const downloadOf = (request: FastifyRequest): ApiSession['download'] =>
  visitBy(request).download
export const shellOf = (request: FastifyRequest): ShellData => visitBy(request).shell
export const storeOf = (request: FastifyRequest): StoreInfo => visitBy(request).shell.store
