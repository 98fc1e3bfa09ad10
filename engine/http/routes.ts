import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { Readable } from 'node:stream'
import { type Call } from '../../domain/api/call.ts'
import { vendorsTimeout } from '../../domain/call-timeouts.ts'
import {
  type CallName,
  callsOfLeaving,
  type Contract,
  contract,
  type FileCallName,
  type Input,
  type Output,
} from '../../domain/api/contract.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { StaffUser } from '../../domain/staff-calls/users.ts'
import type { Unfinished } from '../../domain/staff/second-factor.ts'
import { quotaWords, type Quotas } from '../../domain/quota.ts'
import {
  type StaffCallName,
  type StaffContract,
  staffContract,
  type StaffInput,
  type StaffOutput,
} from '../../domain/staff/staff-contract.ts'
import type { Answers } from './answers.ts'
import type { Bearer } from '../session/auth-tokens.ts'
import { statementLimit, shopOfWork } from '../db/lost.ts'
import type { LiveTokens } from '../session/live-sessions.ts'
import type { Limits } from './shared-limits.ts'
import { storeGate } from './store-gate.ts'
import { type FileAnswer, sendFile } from './route-answers.ts'
import { requireStorable } from './validation.ts'
import { withVendorsWithin } from './vendor-calls.ts'

/** The caller: the store for which the token was made. */
export type Caller = {
  storeId: string
  shop: string
  /** The access token itself, of a caller that sent one. */
  token?: string
  /** Uninstalled after this sign-in: the caller may only ask how the uninstall went. */
  isLeaving?: true
}
/** The names for {platform} in paths, and which of them is a shop's own. */
export type PlatformNames = {
  all: readonly { name: string }[]
  nameFor: (shop: string) => string | null
}
type Handler<N extends CallName> = (
  input: Input<N>,
  caller: Contract[N] extends { token: false } ? null : Caller,
) => Promise<N extends FileCallName ? FileAnswer : Output<N>>

/**
 * Serves one call of the contract. Method, path, schemas and whether a token is needed come from
 * the contract; the handler is given. `keep`: cache the answer; it may depend only on the URL and
 * on the store's watched rows (answers.ts). `perAddress`: the most requests per minute from one
 * address.
 */
export type Serve = <N extends CallName>(
  name: N,
  handler: Handler<N>,
  options?: { keep?: true; perAddress?: number },
) => void

// Typed as plain rows: the type checker cannot compare every schema with every other.
const rows: Record<string, Call> = contract,
  staffRows: Record<string, Call> = staffContract

/** Makes routes from the contract's rows. */
export function routesOf(
  app: FastifyInstance,
  tokens: LiveTokens,
  answers: Answers,
  platforms: PlatformNames,
  quotas: Quotas & { limits?: Limits },
): Serve {
  const gate = storeGate(quotas)
  const ask = (storeId: string, reply: FastifyReply): void => {
    const wait = gate.ask(storeId)
    if (wait === 0) return
    reply.header('retry-after', wait)
    throw new HttpProblem(429, quotaWords.requests)
  }
  const entered = async <T>({ storeId, shop }: Caller, work: () => Promise<T>): Promise<T> => {
    const leave = gate.enter(storeId)
    try {
      return await shopOfWork.run(shop, () => statementLimit.run(quotas.statement, work))
    } finally {
      leave()
    }
  }
  return (name, handler, options = {}) =>
    addRoute<Caller>(app, rows[name]!, platforms, {
      authorise: async (request, reply) => {
        // Checking that the sign-in is still valid already uses the database, so it counts towards
        // the concurrent calls.
        const signed = await signedBy(request, tokens),
          caller = await entered(signed, () => tokens.standing(signed))
        if (!caller || (caller.isLeaving && !callsOfLeaving.includes(name))) throw unknownToken()
        ask(caller.storeId, reply)
        return caller
      },
      within: entered,
      exporting: ({ storeId }, file) => gate.exporting(storeId, file),
      answer: handler as unknown as Route<Caller>['answer'],
      perAddress: options.perAddress,
      ...(options.keep && { keep: (caller, url, make) => answers.of(caller.storeId, url, make) }),
    })
}

/** The caller: the member of staff whose token it is, and the id of their session. */
export type StaffCaller = StaffUser & {
  session: string
  /** The step that the sign-in still needs; null when it is complete. */ needs: Unfinished | null
}
type StaffHandler<N extends StaffCallName> = (
  input: StaffInput<N>,
  staff: StaffContract[N] extends { token: false } ? null : StaffCaller,
  /** The client's IP address. */ address: string,
) => Promise<StaffOutput<N>>
/** Serves one call of the staff contract. */
export type StaffServe = <N extends StaffCallName>(
  name: N,
  handler: StaffHandler<N>,
  options?: {
    perAddress?: number
    /** Also serve a sign-in that is not complete. */ unfinished?: true
  },
) => void

/**
 * Makes routes from the staff contract. `read` returns the caller of a token; null when the token
 * is not valid.
 */
export function staffRoutesOf(
  app: FastifyInstance,
  read: (token: string) => Promise<StaffCaller | null>,
  platforms: PlatformNames,
): StaffServe {
  return (name, handler, options = {}) =>
    addRoute<StaffCaller>(app, staffRows[name]!, platforms, {
      authorise: async request => {
        const staff = await staffOf(request, read)
        if (staff.needs && !options.unfinished)
          throw new HttpProblem(403, 'This sign-in is not finished.')
        return staff
      },
      answer: handler as unknown as Route<StaffCaller>['answer'],
      perAddress: options.perAddress,
    })
}

type Route<C> = {
  /** Returns the caller. Throws a 401 when the token does not permit the call. */
  authorise: (request: FastifyRequest, reply: FastifyReply) => Promise<C>
  /** Runs the work within the caller's limit of concurrent calls. */
  within?: (caller: C, work: () => Promise<unknown>) => Promise<unknown>
  exporting?: (caller: C, file: Readable) => void
  answer: (input: unknown, caller: C | null, address: string) => Promise<unknown>
  keep?: (
    caller: C,
    url: string,
    make: () => Promise<string>,
  ) => Promise<{ payload: string; etag: string }>
  perAddress?: number | undefined
}

function addRoute<C extends object>(
  app: FastifyInstance,
  call: Call,
  platforms: PlatformNames,
  {
    authorise,
    answer,
    keep,
    perAddress,
    within = (_, work) => work(),
    exporting = () => {},
  }: Route<C>,
): void {
  const { method, path, params, query, body, response } = call
  const schema: FastifySchema = {
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    ...(!call.file && { response: { 200: response } }),
  }
  const names = path.includes('{platform}') ? platforms.all.map(each => each.name) : [null]
  const addresses = names.flatMap(platform => {
    const own = path.replace('{platform}', platform ?? '')
    // Also without a slash at its end.
    const urls = own.endsWith('/') ? [own, own.slice(0, -1)] : [own]
    return urls.map(url => ({ url, platform }))
  })
  for (const { url, platform } of addresses)
    app.route({
      method,
      url,
      schema,
      ...(call.bodyLimit !== undefined && { bodyLimit: call.bodyLimit }),
      ...(perAddress && { config: { rateLimit: { max: perAddress } } }),
      // Authorise before the body is read: a stranger must not even learn what is wrong with the
      // body.
      onRequest: async (request, reply) => {
        if (call.token === false) return
        const caller = await authorise(request, reply)
        if (
          platform !== null &&
          'shop' in caller &&
          platforms.nameFor(String(caller.shop)) !== platform
        )
          throw new HttpProblem(404, 'This shop is on another platform.')
        request.caller = caller
      },
      // When no field of the body is required, a missing body counts as an empty object.
      preValidation: async request => {
        if (request.body === undefined && isOptional(body)) request.body = {}
      },
      preHandler: async request => requireStorable(request.body),
      handler: async (request, reply) => {
        const caller = request.caller as C | null
        const { params, query, body, ip } = request
        const own = () => answer({ params, query, body }, caller, ip)
        const make = () =>
          withVendorsWithin(vendorsTimeout(call), caller ? () => within(caller, own) : own)
        if (call.file) {
          const file = (await make()) as FileAnswer
          if (caller && file.body instanceof Readable) exporting(caller, file.body)
          return sendFile(reply, file)
        }
        if (!keep || !caller) return make()
        const { payload, etag } = await keep(caller, request.url, async () =>
          String(reply.serialize((await make()) as object)),
        )
        reply.headers({
          etag,
          'cache-control': 'private, no-cache',
          'content-type': 'application/json; charset=utf-8',
        })
        return request.headers['if-none-match'] === etag ? reply.code(304).send() : payload
      },
    })
}

/**
 * Accepts JSON or an empty body: clients send a content type with every request, even without a
 * body.
 */
export function jsonOrNothing(api: FastifyInstance): void {
  const parse = api.getDefaultJsonParser('error', 'error')
  api.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null, undefined) : parse(request, String(body), done),
  )
}

const isOptional = (body: Call['body']): boolean =>
  (body as { type?: string } | undefined)?.type === 'object' &&
  !(body as { required?: string[] }).required?.length

async function signedBy(request: FastifyRequest, tokens: LiveTokens): Promise<Bearer> {
  const [, bearer] =
    /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/.exec(request.headers.authorization ?? '') ?? []
  const signed = bearer && (await tokens.readSigned(bearer))
  if (!signed) throw unknownToken()
  return { ...signed, token: bearer! }
}

async function staffOf(
  request: FastifyRequest,
  read: (token: string) => Promise<StaffCaller | null>,
): Promise<StaffCaller> {
  const [, bearer] = /^Bearer (staff-[\w-]{43})$/.exec(request.headers.authorization ?? '') ?? []
  const staff = bearer && (await read(bearer))
  if (!staff) throw unknownToken()
  return staff
}

const unknownToken = () => new HttpProblem(401, 'The token is missing, expired or not one of ours.')

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
export const isId = (text: string): boolean => uuid.test(text)
/**
 * Returns the id. An id that is no UUID cannot be ours, so it throws the same 404 as an unknown id.
 */
export function knownId(id: string, what: string): string {
  if (!isId(id)) throw notFound(what)
  return id
}

/** The same error, whether the thing does not exist or belongs to another store. */
export const notFound = (what: string): HttpProblem =>
  new HttpProblem(404, `There is no such ${what}.`)
