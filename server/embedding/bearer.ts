import type { FastifyRequest } from 'fastify'

const pattern = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/

/**
 * Whether the page holds its session itself, because its browser keeps no cookie of the app
 * (decision 075). No other site can send this header: it would need our permission (CORS), which
 * no answer gives.
 */
export const isByBearer = ({ headers }: FastifyRequest): boolean =>
  /^Bearer /i.test(headers.authorization ?? '')

/** The token of such a page; null when the header is malformed. The API checks it at every call. */
export const bearerOf = ({ headers }: FastifyRequest): string | null =>
  pattern.exec(headers.authorization ?? '')?.[1] ?? null
