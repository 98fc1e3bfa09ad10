import type { FastifyRequest } from 'fastify'
import { HttpProblem } from '../domain/problem.ts'

export type Fields = Record<string, unknown>

/** The body of a form or of JSON, as named fields. Throws HttpProblem 400 for anything else. */
export function fieldsOf({ body }: FastifyRequest): Fields {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new HttpProblem(400, 'The request has no fields.')
  return body as Fields
}

/**
 * The fields of a shopper's request, whose texts go into an order. Throws HttpProblem 422 for a
 * character that no order can store.
 */
export function orderFieldsOf(request: FastifyRequest): Fields {
  const fields = fieldsOf(request)
  if (!isStorable(fields))
    throw new HttpProblem(422, 'The request holds a character that cannot be stored.')
  return fields
}

/**
 * Whether no text in it has a NUL or half of a surrogate pair: no database and no app accepts an
 * order with one.
 */
const isStorable = (value: unknown): boolean =>
  typeof value === 'string'
    ? !value.includes('\0') && value.isWellFormed()
    : typeof value !== 'object' ||
      value === null ||
      Object.entries(value).every(pair => pair.every(isStorable))

/**
 * A field's text, trimmed; empty when it is missing. When a field was sent twice, the last value
 * counts.
 */
export function text(value: unknown): string {
  const last: unknown = Array.isArray(value) ? value.at(-1) : value
  return typeof last === 'string' || typeof last === 'number' ? String(last).trim() : ''
}

/** A whole number, or NaN. */
export const integer = (value: unknown): number =>
  /^\d{1,9}$/.test(text(value)) ? Number(text(value)) : Number.NaN

/** Reads `{ attributes: { a: 'b' } }` from JSON, and `attributes[a]=b` from a form. */
export function group(fields: Fields, name: string): Record<string, string> {
  const nested = fields[name]
  const found =
    typeof nested === 'object' && nested !== null && !Array.isArray(nested)
      ? Object.entries(nested)
      : []
  for (const [key, value] of Object.entries(fields))
    if (key.startsWith(`${name}[`) && key.endsWith(']'))
      found.push([key.slice(name.length + 1, -1), value])
  return Object.fromEntries(found.map(([key, value]) => [key, text(value)]))
}

/** Whether the sender wants JSON rather than a page. */
export const wantsJson = (request: FastifyRequest): boolean =>
  request.headers['content-type']?.startsWith('application/json') ?? false
