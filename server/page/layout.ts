import type { FastifyRequest } from 'fastify'
import type { Extras, Scheduler } from '../../views/document.ts'
import type { Origins } from '../http/security.ts'

/** What every page of a server needs. */
export type Layout = {
  origins: Origins
  asset: (name: string) => string
  /** The scripts of these islands. */
  scripts: (islands: readonly string[]) => string[]
  /** Where the Docs link leads. */
  docs: string
  /** Scripts of vendors that pages load, as far as they are configured. */
  extras: () => Extras
  /** The meeting scheduler that some pages show; null when none is configured. */
  scheduler: Scheduler | null
}

export const layoutOf = (request: FastifyRequest): Layout => {
  const { layout } = request.server
  if (!layout) throw new Error('This server has been given no layout.')
  return layout
}
