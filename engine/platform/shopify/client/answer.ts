import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { HttpProblem, VendorProblem } from '../../../../domain/problem.ts'
import { Throttled } from '../../rate.ts'
import { type ThrottleStatus, waitFor } from './budget.ts'
import { PassingFailure, problem, ScopeMissing } from './problems.ts'

/** The version of the Admin API that our documents are written for, served until October 2027. */
export const apiVersion = '2026-10'
/** Maximum length of an answer, in bytes. All templates of a theme are some hundred kilobytes. */
export const maxAnswer = 32 * 1024 * 1024

/** An answer as it came. `version`: in which Shopify answered. `retryAfter`: seconds. */
export type Answer = { status: number; version: string; retryAfter: number | null; bytes: Buffer }

const Status = Type.Object({
  maximumAvailable: Type.Number(),
  currentlyAvailable: Type.Number(),
  restoreRate: Type.Number(),
})
const GraphQLError = Type.Object({
  message: Type.String(),
  extensions: Type.Optional(
    Type.Object({
      code: Type.Optional(Type.String()),
      requiredAccess: Type.Optional(Type.String()),
    }),
  ),
})
const check = Compile(
  Type.Object({
    data: Type.Optional(Type.Unknown()),
    // Some refusals are one text.
    errors: Type.Optional(Type.Union([Type.Array(GraphQLError), Type.String()])),
    extensions: Type.Optional(
      Type.Object({
        cost: Type.Optional(
          Type.Object({
            requestedQueryCost: Type.Optional(Type.Number()),
            throttleStatus: Type.Optional(Status),
          }),
        ),
      }),
    ),
  }),
)

/** What an answer with status 200 holds. Throws what its errors mean. */
export function dataOf(bytes: Buffer): { data: unknown; throttle: ThrottleStatus | undefined } {
  const said = jsonOf(bytes)
  if (!check.Check(said)) throw problem('nonsense')
  const cost = said.extensions?.cost,
    throttle = cost?.throttleStatus
  if (said.errors !== undefined && said.errors.length > 0) {
    if (typeof said.errors === 'string') throw refused(said.errors)
    throw problemOf(said.errors, cost?.requestedQueryCost, throttle)
  }
  if (said.data === undefined || said.data === null) throw problem('nonsense')
  return { data: said.data, throttle }
}

function problemOf(
  errors: readonly Type.Static<typeof GraphQLError>[],
  cost = 100,
  throttle?: ThrottleStatus,
): Error {
  const codes = errors.map(({ extensions }) => extensions?.code)
  const first = errors[0]!
  if (codes.includes('THROTTLED')) {
    const wait = throttle ? waitFor(cost, throttle) : 1_000
    return new Throttled('Shopify answers no more for a moment.', Math.max(0.1, wait / 1_000))
  }
  const denied = errors.find(({ extensions }) => extensions?.code === 'ACCESS_DENIED')
  if (denied) return new ScopeMissing(scopesIn(denied.extensions?.requiredAccess ?? denied.message))
  if (codes.includes('SHOP_INACTIVE')) return problem('frozen')
  if (codes.includes('INTERNAL_SERVER_ERROR')) return new PassingFailure(500, first.message)
  if (codes.some(code => code === 'RESOURCE_NOT_FOUND' || code === 'NOT_FOUND'))
    return new HttpProblem(404, first.message)
  return refused(first.message)
}

/** Shopify refuses the operation itself, so it is a fault of ours that a later version repairs. */
const refused = (message: string) =>
  new VendorProblem('shop', 502, `Shopify refused what Twinshelf asked: ${message}`)

/** The names of scopes in a text such as "`write_themes` access scope." */
const scopesIn = (text: string): string =>
  [...new Set([...text.matchAll(/\b(?:read|write)_[a-z_]+/g)].map(([name]) => name))].join(', ')

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
