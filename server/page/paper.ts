import type { FastifyRequest } from 'fastify'
import type { Extras } from '../../views/document.ts'
import type { PlatformHost } from '../platform-host.ts'
import type { Origins } from '../http/security.ts'

/** What every document of a server is made of. */
export type Paper = {
  origins: Origins
  host: PlatformHost
  asset: (name: string) => string
  /** Where the Docs link leads. */
  docs: string
  /** Scripts of others that pages bring along, as far as they are configured. */
  extras: () => Extras
}
const papers = new WeakMap<object, Paper>()

export const providePaper = (server: object, paper: Paper): void => {
  papers.set(server, paper)
}

export const paperOf = (request: FastifyRequest): Paper => {
  const paper = papers.get(request.server.server)
  if (!paper) throw new Error('This server has been given no paper.')
  return paper
}
