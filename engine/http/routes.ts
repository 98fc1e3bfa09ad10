import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type * as Type from 'typebox'
import { Readable } from 'node:stream'
import { type Call } from '../../domain/api/call.ts'
import {
  type CallName,
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
import { statementLimit } from '../db/lost.ts'
import type { LiveTokens } from '../session/live-sessions.ts'
import { storeGate } from './store-gate.ts'
import { requireStorable } from './validation.ts'

/** Who calls: the store its token was made for. */
export type Caller = {
  storeId: string
  shop: string
  /** Of a store that was uninstalled since the sign-in: it may learn how that went, and nothing else. */ isLeaving?: true
}
/** What a call that answers with a file hands over. `name` is what a browser saves it as; without one it is shown. */
export type FileAnswer = { type: string; name?: string; body: Buffer | string | Readable }
type Handler<N extends CallName> = (
  input: Input<N>,
  caller: Contract[N] extends { token: false } ? null : Caller,
) => Promise<N extends FileCallName ? FileAnswer : Output<N>>

/**
 * Serves one call of the contract: method, path, schemas and the need of a token are the table's, the handler is given.
 * `keep`: the answer depends on the store's watched rows and the URL alone (answers.ts). `perAddress`: so many requests
 * a minute are taken from one address.
 */
export type Serve = <N extends CallName>(
  name: N,
  handler: Handler<N>,
  options?: { keep?: true; perAddress?: number },
) => void

// As plain rows: comparing every schema with every other is more than the type checker can do.
const rows: Record<string, Call> = contract,
  staffRows: Record<string, Call> = staffContract

/** Routes made of the contract's rows. */
export function routesOf(
  app: FastifyInstance,
  tokens: LiveTokens,
  answers: Answers,
  platform: string,
  quotas: Quotas,
): Serve {
  const gate = storeGate(quotas)
  const ask = (storeId: string, reply: FastifyReply): void => {
    const wait = gate.ask(storeId)
    if (wait === 0) return
    reply.header('retry-after', wait)
    throw new HttpProblem(429, quotaWords.requests)
  }
  const entered = async <T>(storeId: string, work: () => Promise<T>): Promise<T> => {
    const leave = gate.enter(storeId)
    try {
      return await statementLimit.run(quotas.statement, work)
    } finally {
      leave()
    }
  }
  return (name, handler, options = {}) =>
    addRoute<Caller>(app, rows[name]!, platform, {
      authorise: async (request, reply) => {
        // To ask whether the sign-in still stands is work for the database already: only so much of it at once.
        const signed = await signedBy(request, tokens),
          caller = await entered(signed.storeId, () => tokens.standing(signed))
        if (!caller || (caller.isLeaving && !ofLeaving.includes(name))) throw unknownToken()
        ask(caller.storeId, reply)
        return caller
      },
      within: ({ storeId }, work) => entered(storeId, work),
      exporting: ({ storeId }, file) => gate.exporting(storeId, file),
      answer: handler as unknown as Route<Caller>['answer'],
      perAddress: options.perAddress,
      ...(options.keep && { keep: (caller, url, make) => answers.of(caller.storeId, url, make) }),
    })
}

/** Who calls: the member of staff whose token it is, and the name of their session. */
export type StaffCaller = StaffUser & {
  session: string
  /** What the sign-in still lacks; null for one that is finished. */ needs: Unfinished | null
}
type StaffHandler<N extends StaffCallName> = (
  input: StaffInput<N>,
  staff: StaffContract[N] extends { token: false } ? null : StaffCaller,
  /** Where it was asked from. */ address: string,
) => Promise<StaffOutput<N>>
/** Serves one call of staff's contract. */
export type StaffServe = <N extends StaffCallName>(
  name: N,
  handler: StaffHandler<N>,
  options?: {
    perAddress?: number
    /** Also for a sign-in that is not finished. */ unfinished?: true
  },
) => void

/** Routes made of staff's contract. `read` tells whose a token is; null for none that is good. */
export function staffRoutesOf(
  app: FastifyInstance,
  read: (token: string) => Promise<StaffCaller | null>,
  platform: string,
): StaffServe {
  return (name, handler, options = {}) =>
    addRoute<StaffCaller>(app, staffRows[name]!, platform, {
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
  /** Throws a 401 for those who may not call. */
  authorise: (request: FastifyRequest, reply: FastifyReply) => Promise<C>
  /** Does the work of one who may, as far as they may at once. */
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
  platform: string,
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
    ...(!call.file && { response: { 200: nullableAsFlag(response) } }),
  }
  const own = path.replace('{platform}', platform)
  // A path that ends in a slash is served without it too.
  for (const url of own.endsWith('/') ? [own, own.slice(0, -1)] : [own])
    app.route({
      method,
      url,
      schema,
      ...(call.bodyLimit !== undefined && { bodyLimit: call.bodyLimit }),
      ...(perAddress && { config: { rateLimit: { max: perAddress } } }),
      // Before the body is read: a stranger learns nothing, not even what is wrong with it.
      onRequest: async (request, reply) => {
        if (call.token !== false) request.caller = await authorise(request, reply)
      },
      // Nothing sent is the same as nothing said, where nothing has to be.
      preValidation: async request => {
        if (request.body === undefined && isOptional(body)) request.body = {}
      },
      preHandler: async request => requireStorable(request.body),
      handler: async (request, reply) => {
        const caller = request.caller as C | null
        const own = () =>
          answer(
            { params: request.params, query: request.query, body: request.body },
            caller,
            request.ip,
          )
        const make = () => (caller ? within(caller, own) : own())
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

function sendFile(reply: FastifyReply, { type, name, body }: FileAnswer): FastifyReply {
  if (name)
    reply.header('content-disposition', `attachment; filename="${name.replace(/[^\w.-]+/g, '-')}"`)
  return reply.header('cache-control', 'private, no-store').type(type).send(body)
}

/** JSON, or nothing at all: clients name the type of every request, with a body or without. */
export function jsonOrNothing(api: FastifyInstance): void {
  const parse = api.getDefaultJsonParser('error', 'error')
  api.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null, undefined) : parse(request, String(body), done),
  )
}

const isOptional = (body: Call['body']): boolean =>
  (body as { type?: string } | undefined)?.type === 'object' &&
  !(body as { required?: string[] }).required?.length

/** What is answered for some minutes to those who were signed in when the app was uninstalled. */
const ofLeaving: readonly CallName[] = ['storeJob', 'lastUninstall']

async function signedBy(request: FastifyRequest, tokens: LiveTokens): Promise<Bearer> {
  const [, bearer] =
    /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/.exec(request.headers.authorization ?? '') ?? []
  const signed = bearer && (await tokens.readSigned(bearer))
  if (!signed) throw unknownToken()
  return signed
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
/** An id that cannot be one of ours is simply not found. */
export function knownId(id: string, what: string): string {
  if (!isId(id)) throw notFound(what)
  return id
}

/** The same whether there is none or it is another store's. */
export const notFound = (what: string): HttpProblem =>
  new HttpProblem(404, `There is no such ${what}.`)

/** The serialiser writes `nullable` straight away, but runs a validator for every `anyOf` it meets. */
function nullableAsFlag<T extends Type.TSchema>(schema: T): object {
  return JSON.parse(JSON.stringify(schema), (_, value: { anyOf?: { type?: string }[] }) => {
    const [one, other] = value?.anyOf ?? []
    return value?.anyOf?.length === 2 && one && other?.type === 'null'
      ? { ...one, nullable: true }
      : value
  }) as object
}
