import * as Type from 'typebox'

/** One call of the API: a row of the contract (contract.ts). */
export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `{platform}` stands for the platform's lower-case name, from configuration; `:name` for a parameter. */
  path: string
  /** What it does, in one line, for the API document. */
  about?: string
  params?: Type.TObject
  query?: Type.TObject
  body?: Type.TSchema
  /** The JSON of a 200; of a file, a note of what it holds. */
  response: Type.TSchema
  /** A file instead of JSON: the media types it may come in. */
  file?: readonly string[]
  /** False: called without a token, and none is refreshed for it (requirements 16.18). */
  token?: false
  /** Statuses that mean "none" to the client, which then answers null. */
  none?: readonly number[]
  /** Asks somebody else in turn (the shop's pages, Google), who may take long: waited for four times as long as others. */
  slow?: true
  /** Bytes that its body may have; 256 kB when left out. */
  bodyLimit?: number
  /** Refusals particular to this call, by status, in plain words; those that every call may give are not listed. */
  errors?: Readonly<Record<number, string>>
}

type Part<C, K extends string> = C extends { [P in K]: infer S extends Type.TSchema }
  ? { [P in K]: Type.Static<S> }
  : object
/** What a caller of this row hands over: params, query and body, each where the call declares it. */
export type CallInput<C> = Part<C, 'params'> & Part<C, 'query'> & Part<C, 'body'>
/** What it is answered; null where a status means "none". */
export type CallOutput<C extends { response: Type.TSchema }> =
  | Type.Static<C['response']>
  | (C extends { none: readonly number[] } ? null : never)

export const closed = { additionalProperties: false } as const
export const IdParam = Type.String({ minLength: 1, maxLength: 64 })
export const Id = Type.Object({ id: IdParam }, closed)
export const Done = Type.Object({ ok: Type.Literal(true) })
export const Instant = Type.String()
export const Maybe = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
/** Paging of every list: pages count from 0, at most 100 a page (the smallest page is 1). */
export const Page = Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }))
export const PageSize = Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 }))

/** The path with the platform's name and the parameters put in, each encoded. */
export function callPath(path: string, platform: string, params: Record<string, string>): string {
  return path
    .replace('{platform}', platform)
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!))
}
