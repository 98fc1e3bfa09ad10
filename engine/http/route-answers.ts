import fastJson from 'fast-json-stringify'
import type { FastifyReply } from 'fastify'
import type * as Type from 'typebox'
import type { Readable } from 'node:stream'

/**
 * The answer of a call that returns a file. `name` is the name under which a browser saves it;
 * without one, the browser shows it.
 */
export type FileAnswer = { type: string; name?: string; body: Buffer | string | Readable }

export function sendFile(reply: FastifyReply, { type, name, body }: FileAnswer): FastifyReply {
  if (name)
    reply.header('content-disposition', `attachment; filename="${name.replace(/[^\w.-]+/g, '-')}"`)
  return reply.header('cache-control', 'private, no-store').type(type).send(body)
}

/**
 * Writes answers as JSON by the contract's schema. The code that writes is made at the first answer
 * of a route: to make it for every route took a quarter of the engine's start.
 */
export function writeAnswers({ schema }: { schema: Type.TSchema }): (answer: unknown) => string {
  let write: ((answer: unknown) => string) | undefined
  return answer => (write ??= fastJson(nullableAsFlag(schema)))(answer)
}

/**
 * Turns `anyOf: [x, null]` into `nullable`: the serialiser writes `nullable` directly, but runs a
 * validator for every `anyOf`.
 */
function nullableAsFlag<T extends Type.TSchema>(schema: T): object {
  return JSON.parse(JSON.stringify(schema), (_, value: { anyOf?: { type?: string }[] }) => {
    const [one, other] = value?.anyOf ?? []
    return value?.anyOf?.length === 2 && one && other?.type === 'null'
      ? { ...one, nullable: true }
      : value
  }) as object
}
