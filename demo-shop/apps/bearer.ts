import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

/** Whether a request carries the app's secret. */
export type Bearer = (request: FastifyRequest) => boolean

const digest = (text: string) => createHash('sha256').update(text).digest()

export function bearerOf(secret: string): Bearer {
  const right = digest(`Bearer ${secret}`)
  return request => timingSafeEqual(digest(request.headers.authorization ?? ''), right)
}
