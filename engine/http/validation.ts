import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import type * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { type FieldProblem, HttpProblem } from '../../domain/problem.ts'

/**
 * Checks input against the contract's schemas. Bodies are taken as they are: nothing is converted and nothing dropped
 * in silence. Paths and queries are text, so their numbers and booleans are converted. Wrong input is a 400 that names its fields.
 */
export const validate: FastifySchemaCompiler<Type.TSchema> = ({ schema, httpPart }) => {
  const check = Compile(schema)
  const isText = httpPart !== 'body'
  return input => {
    const value = isText
      ? check.Default(converted((input ?? {}) as Record<string, unknown>))
      : input
    if (check.Check(value)) return { value }
    const fields = fieldProblems(check.Errors(value))
    return {
      error: new HttpProblem(
        400,
        fields.map(f => (f.field ? `${f.field}: ${f.message}` : f.message)).join('; ') ||
          'The input is not what this call takes.',
        fields,
      ),
    }
  }

  /** Without those conversions that made another number of a text: "1.5" is no page 1. */
  function converted(texts: Record<string, unknown>): Record<string, unknown> {
    // Convert writes into what it is given.
    const values = check.Convert({ ...texts }) as Record<string, unknown>
    for (const [name, text] of Object.entries(texts))
      if (
        typeof text === 'string' &&
        typeof values[name] === 'number' &&
        (text.trim() === '' || Number(text) !== values[name])
      )
        values[name] = text
    return values
  }
}

/** No call of ours takes anything deeper. */
const deepest = 50

/** Strings the database cannot hold, each at its field: its text has no NUL, and its JSON no half of a surrogate pair. */
export function unstorable(value: unknown, field = '', depth = 0): FieldProblem[] {
  if (typeof value === 'string')
    return value.includes('\0') || !value.isWellFormed()
      ? [{ field, message: 'holds a character that cannot be stored' }]
      : []
  if (typeof value !== 'object' || value === null) return []
  if (depth === deepest) return [{ field, message: 'is nested too deeply' }]
  return Object.entries(value).flatMap(([name, part]) => [
    ...(unstorable(name).length > 0
      ? [{ field, message: 'has a name that cannot be stored' }]
      : []),
    ...unstorable(part, field ? `${field}.${name}` : name, depth + 1),
  ])
}

/** Refuses addresses that hold what cannot be stored, whichever route they lead to. Bodies are looked at by their calls. */
export function storableAddresses(app: FastifyInstance): void {
  app.addHook('preHandler', async ({ params, query }) => requireStorable(params, query))
}

/** Throws a 400 that names the fields. */
export function requireStorable(...values: unknown[]): void {
  const fields = values.flatMap(value => unstorable(value))
  if (fields.length > 0)
    throw new HttpProblem(400, fields.map(f => `${f.field}: ${f.message}`).join('; '), fields)
}

type SchemaError = { keyword: string; instancePath: string; params: object; message: string }

function fieldProblems(errors: SchemaError[]): FieldProblem[] {
  const found = new Map<string, string>()
  const add = (path: string, message: string) => {
    const field = path.replace(/^\//, '').replaceAll('/', '.')
    if (!found.has(field)) found.set(field, message)
  }
  for (const { keyword, instancePath, params, message } of errors) {
    const named = params as { requiredProperties?: string[]; additionalProperties?: string[] }
    // Said at the field itself below, or in the words of another error.
    if (keyword === 'boolean' || keyword === 'anyOf') continue
    if (keyword === 'required')
      for (const name of named.requiredProperties ?? [])
        add(`${instancePath}/${name}`, 'is missing')
    else if (keyword === 'additionalProperties')
      for (const name of named.additionalProperties ?? [])
        add(`${instancePath}/${name}`, 'is not a field of this call')
    else add(instancePath, message)
  }
  // Of many errors typebox tells the first eight, and those of unknown fields before the one that lists them.
  if (found.size === 0)
    for (const { keyword, instancePath } of errors)
      if (keyword === 'boolean') add(instancePath, 'is not a field of this call')
  return [...found].slice(0, 20).map(([field, message]) => ({ field, message }))
}
