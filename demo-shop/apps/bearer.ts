import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

/** Whether a request carries a bearer token that the route accepts. */
export type Bearer = (request: FastifyRequest) => boolean

const scheme = 'Bearer '
/** Whether a request carries one of the app's access tokens. */
export const tokenBearer =
  (accept: (token: string) => boolean): Bearer =>
  ({ headers: { authorization = '' } }) =>
    authorization.startsWith(scheme) && accept(authorization.slice(scheme.length))

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Whether a request carries the app's secret itself, as the simulated shoppers do. */
export function bearerOf(secret: string): Bearer {
  const right = digest(`Bearer ${secret}`)
  return request => timingSafeEqual(digest(request.headers.authorization ?? ''), right)
}
