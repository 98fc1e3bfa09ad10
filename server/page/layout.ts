import type { FastifyRequest } from 'fastify'
import type { Extras } from '../../views/document.ts'
import type { PlatformHost } from '../platform-host.ts'
import type { Origins } from '../http/security.ts'

/** What every page of a server needs. */
export type Layout = {
  origins: Origins
  host: PlatformHost
  asset: (name: string) => string
  /** Where the Docs link leads. */
  docs: string
  /** Scripts of vendors that pages load, as far as they are configured. */
  extras: () => Extras
}

export const layoutOf = (request: FastifyRequest): Layout => {
  const { layout } = request.server
  if (!layout) throw new Error('This server has been given no layout.')
  return layout
}
