import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import {
  execute,
  type FragmentDefinitionNode,
  getOperationAST,
  GraphQLError,
  Kind,
  parse,
  type DocumentNode,
  validate,
} from 'graphql'
import { HttpProblem } from '../../../domain/problem.ts'
import type { AdminSchema } from '../schema/admin-schema.ts'
import { actualCost } from './actual-cost.ts'
import type { Bucket } from './bucket.ts'
import { faultyAnswer, type Faults, statusFault, unauthorized } from './faults.ts'
import { type Access, type ApiContext, fieldResolver } from './field-access.ts'
import { requestedCost } from './query-cost.ts'

/** The most points that one query may cost. */
const maxCost = 1_000
const bodyLimit = 40 * 1024 * 1024

export type Roots = { query: object; mutation: object }
export type EndpointOptions = {
  roots: Roots
  bucket: Bucket
  faults: Faults
  /** Whether a token is valid and the app is installed. */
  accepts: (token: string) => boolean
  access: () => Access
  schema: () => AdminSchema
  /** The version that answers, which a test moves on; it is in a header of every answer. */
  served: { version: string }
}

/**
 * The admin API in GraphQL, at any version's address: a version that is not served falls forward to
 * the one that is. A query is validated against the published schema, costs points of the app's
 * bucket, and is answered by plain objects.
 */
export const graphqlEndpoint: FastifyPluginAsync<EndpointOptions> = async (
  app,
  { roots, bucket, faults, accepts, access, schema, served },
) => {
  const known = new WeakMap<AdminSchema, Map<string, DocumentNode>>()

  app.post<{ Params: { version: string } }>(
    '/admin/api/:version/graphql.json',
    { bodyLimit },
    async (request, reply) => {
      reply
        .header('cache-control', 'no-store')
        .header('x-request-id', randomUUID())
        .header('x-shopify-api-version', served.version)
      if (!/^(20\d\d-(01|04|07|10)|unstable)$/.test(request.params.version))
        return reply.code(404).send({ errors: 'Not Found' })
      const asked = bodyOf(request.body)
      const fault = faults.next('api', asked?.query ?? '')
      const refused = fault && statusFault(fault, reply)
      if (refused) return refused
      const token = request.headers['x-shopify-access-token']
      if (typeof token !== 'string' || !accepts(token))
        return reply.code(401).send({ errors: unauthorized })
      if (!asked) return reply.code(400).send({ errors: { query: 'Required parameter missing' } })
      const origin = `${request.protocol}://${request.host}`
      const answer = await answered(asked, origin, fault?.kind === 'throttled')
      return fault && fault.kind !== 'throttled'
        ? faultyAnswer(fault, reply, answer)
        : sent(reply, answer)
    },
  )

  async function answered(
    { query, variables, operationName }: Asked,
    origin: string,
    isThrottled: boolean,
  ) {
    const admin = schema()
    let document: DocumentNode
    try {
      document = checked(query, admin)
    } catch (error) {
      if (!(error instanceof Problems)) throw error
      return { errors: error.errors }
    }
    const operation = getOperationAST(document, operationName)
    if (!operation) return { errors: [{ message: 'An operation name is required' }] }
    const fragments = new Map(
      document.definitions
        .filter((one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION)
        .map(one => [one.name.value, one]),
    )
    const requested = requestedCost(admin.schema, operation, fragments, variables)
    const cost = (actual: number | null) => ({
      cost: {
        requestedQueryCost: requested,
        actualQueryCost: actual,
        throttleStatus: bucket.status(),
      },
    })
    if (requested > maxCost)
      return {
        errors: [
          {
            message: `Query cost is ${requested}, which exceeds the single query max cost limit (${maxCost}).`,
            extensions: { code: 'MAX_COST_EXCEEDED', cost: requested, maxCost },
          },
        ],
      }
    if (isThrottled || !bucket.take(requested)) {
      if (isThrottled) bucket.throttled++
      return {
        errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
        extensions: cost(null),
      }
    }
    const contextValue: ApiContext = { access: access(), origin }
    const { data, errors } = await execute({
      schema: admin.schema,
      document,
      rootValue: operation.operation === 'mutation' ? roots.mutation : roots.query,
      contextValue,
      variableValues: variables,
      ...(operationName !== null && { operationName }),
      fieldResolver: fieldResolver(admin),
    })
    const actual = Math.min(requested, actualCost(data, operation.operation === 'mutation'))
    bucket.give(requested - actual)
    return {
      ...(data !== undefined && { data }),
      ...(errors && { errors: errors.map(shownError) }),
      extensions: cost(actual),
    }
  }

  function checked(query: string, admin: AdminSchema): DocumentNode {
    const valid = known.get(admin) ?? new Map<string, DocumentNode>()
    known.set(admin, valid)
    const before = valid.get(query)
    if (before) return before
    let document: DocumentNode
    try {
      document = parse(query, { maxTokens: 20_000 })
    } catch (error) {
      throw new Problems([(error as GraphQLError).toJSON()])
    }
    const errors = validate(admin.schema, document)
    if (errors.length > 0) throw new Problems(errors.map(error => error.toJSON()))
    if (valid.size > 500) valid.clear()
    valid.set(query, document)
    return document
  }
}

class Problems extends Error {
  readonly errors: object[]
  constructor(errors: object[]) {
    super('The document cannot be used.')
    this.errors = errors
  }
}

/** What the platform says about an error: nothing of what went wrong inside. */
function shownError(error: GraphQLError): object {
  const { originalError } = error
  if (!originalError || originalError instanceof GraphQLError) return error.toJSON()
  if (originalError instanceof HttpProblem)
    return {
      ...error.toJSON(),
      extensions: { code: originalError.status === 404 ? 'RESOURCE_NOT_FOUND' : 'BAD_REQUEST' },
    }
  return {
    message: 'Internal error. Looks like something went wrong on our end.',
    extensions: { code: 'INTERNAL_SERVER_ERROR', cause: originalError.message },
  }
}

const sent = (reply: FastifyReply, answer: object) =>
  reply.type('application/json; charset=utf-8').send(JSON.stringify(answer))

type Asked = { query: string; variables: Record<string, unknown>; operationName: string | null }

function bodyOf(body: unknown): Asked | null {
  if (typeof body !== 'object' || body === null) return null
  const { query, variables, operationName } = body as Record<string, unknown>
  if (typeof query !== 'string') return null
  return {
    query,
    variables:
      typeof variables === 'object' && variables !== null
        ? (variables as Record<string, unknown>)
        : {},
    operationName: typeof operationName === 'string' ? operationName : null,
  }
}
