import { type Call, callPath } from './call.ts'
import { contract } from './contract.ts'
import { Problem } from '../problem.ts'

type Json = { [key: string]: unknown }
/** Error statuses that any call with a token may answer with, in plain words. */
const common: Record<number, string> = {
  400: 'Something in the request is not valid; `fields` names it. Nothing was stored.',
  401: 'The token is missing, expired or not one of ours.',
  404: 'There is no such thing in this store.',
  429: 'Too many requests at once.',
}

/**
 * Makes the OpenAPI 3.1 document of all calls in the contract, for the names of the platforms and
 * the API's origin. With several platforms, their name is a parameter of the paths that hold it.
 */
export function apiDocument({
  platforms,
  origin,
  version,
}: {
  platforms: readonly string[]
  origin: string
  version: string
}): Json {
  const paths: Record<string, Json> = {}
  for (const [name, call] of Object.entries<Call>(contract)) {
    const path = documentPath(call.path, platforms.length === 1 ? platforms[0]! : '{platform}')
    const parameter = path.includes('{platform}') ? [platformParameter(platforms)] : []
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operation(name, call, parameter) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Twinshelf API',
      version,
      description:
        'Tests of an online shop: drafts, launch, results. Sign in by POST /auth, then send the token as a bearer.',
    },
    servers: [{ url: origin }],
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Problem: plain(Problem) },
    },
    security: [{ bearer: [] }],
    paths,
  }
}

/** "/api/v0/tests/:id" → "/api/v0/tests/{id}". */
export const documentPath = (path: string, platform: string): string =>
  callPath(path.replace(/:(\w+)/g, '\u0001$1\u0002'), platform, {})
    .replaceAll('\u0001', '{')
    .replaceAll('\u0002', '}')

const platformParameter = (names: readonly string[]): Json => ({
  name: 'platform',
  in: 'path',
  required: true,
  description: 'The platform of the shop, as its token names it.',
  schema: { type: 'string', enum: names },
})

function operation(name: string, call: Call, parameter: Json[]): Json {
  const { about = name, params, query, body, response, file, token, none = [], errors = {} } = call
  const { forOtherClients } = call
  const refusals: Record<number, string> = {
    ...common,
    ...Object.fromEntries(none.map(status => [status, 'None.'])),
    ...errors,
  }
  if (token === false) delete refusals[401]
  if (!params && !none.includes(404) && !errors[404]) delete refusals[404]
  return {
    operationId: name,
    summary: about,
    ...(forOtherClients && {
      description: 'For other clients: the app itself does not make this call.',
      'x-for-other-clients': true,
    }),
    tags: [tagOf(call.path)],
    ...(token === false && { security: [] }),
    parameters: [...parameter, ...parametersOf('path', params), ...parametersOf('query', query)],
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: plain(body) } } },
    }),
    responses: {
      200: {
        description: 'Done.',
        content: file
          ? Object.fromEntries(
              file.map(type => [type, { schema: { type: 'string', format: 'binary' } }]),
            )
          : { 'application/json': { schema: plain(response) } },
      },
      ...Object.fromEntries(
        Object.entries(refusals).map(([status, description]) => [
          status,
          {
            description,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
          },
        ]),
      ),
    },
  }
}

function parametersOf(place: 'path' | 'query', schema: Call['params']): Json[] {
  return Object.entries(schema?.properties ?? {}).map(([name, value]) => ({
    name,
    in: place,
    required: place === 'path' || (schema?.required ?? []).includes(name as never),
    schema: plain(value),
  }))
}

const tagOf = (path: string): string =>
  /^\/api\/(?:v0\/)?(\{platform\}|[a-z-]+)/.exec(path)?.[1]?.replace('{platform}', 'products') ??
  'session'
/**
 * Converts a schema to plain JSON Schema 2020-12, which OpenAPI 3.1 uses. A tuple's items become
 * `prefixItems`.
 */
const plain = (schema: object): Json =>
  JSON.parse(
    JSON.stringify(schema),
    (_, value: { items?: unknown; additionalItems?: unknown } | null) => {
      if (!Array.isArray(value?.items)) return value
      const { items, additionalItems: _rest, ...others } = value
      return { ...others, prefixItems: items, items: false }
    },
  ) as Json
