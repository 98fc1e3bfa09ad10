import * as Type from 'typebox'

/** One call of the API: a row of the contract (contract.ts). */
export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /**
   * `{platform}` is replaced with the platform's lower-case name from the configuration, `:name`
   * with a parameter.
   */
  path: string
  /** What the call does, in one line, for the API document. */
  about?: string
  params?: Type.TObject
  query?: Type.TObject
  body?: Type.TSchema
  /** The JSON of a 200 answer. For a file, the schema's description says what the file holds. */
  response: Type.TSchema
  /** Set when the call answers with a file instead of JSON: the media types it may have. */
  file?: readonly string[]
  /** False when the client calls it without a token and renews none for it (requirements 16.18). */
  token?: false
  /** Statuses that mean "none": the client returns null for them. */
  none?: readonly number[]
  /**
   * The engine asks another service (the shop, Google), which may be slow. The client's timeout is
   * four times the usual one.
   */
  slow?: true
  /** No page of the app makes this call: it is served for other clients (decision 056). */
  forOtherClients?: true
  /** Maximum size of the request body in bytes; 256 kB when left out. */
  bodyLimit?: number
  /**
   * Error statuses of this call, with their meaning in plain words. Those that every call may give
   * are not listed.
   */
  errors?: Readonly<Record<number, string>>
}

type Part<C, K extends string> = C extends { [P in K]: infer S extends Type.TSchema }
  ? { [P in K]: Type.Static<S> }
  : object
/** What a caller of this call passes: params, query and body, each where the call declares it. */
export type CallInput<C> = Part<C, 'params'> & Part<C, 'query'> & Part<C, 'body'>
/** What the call answers; null where a status means "none". */
export type CallOutput<C extends { response: Type.TSchema }> =
  | Type.Static<C['response']>
  | (C extends { none: readonly number[] } ? null : never)

export const closed = { additionalProperties: false } as const
export const IdParam = Type.String({ minLength: 1, maxLength: 64 })
export const Id = Type.Object({ id: IdParam }, closed)
export const Done = Type.Object({ ok: Type.Literal(true) })
export const Instant = Type.String()
export const Maybe = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
/** Paging of every list: pages are numbered from 0, and a page has 1 to 100 rows. */
export const Page = Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }))
export const PageSize = Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 }))

/** Puts the platform's name and the URL-encoded parameters into a path. */
export function callPath(path: string, platform: string, params: Record<string, string>): string {
  return path
    .replace('{platform}', platform)
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!))
}
