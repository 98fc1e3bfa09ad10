import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { type FieldProblem, HttpProblem } from '../../domain/problem.ts'

/**
 * Checks input against the contract's schemas. Bodies are checked as they are: no value is
 * converted, and no field is dropped silently. Paths and queries are text, so their numbers and
 * booleans are converted. Wrong input gives a 400 that names the fields.
 *
 * A schema is compiled at its first input, so that the engine's start does not compile them all.
 */
export const validate: FastifySchemaCompiler<Type.TSchema> = ({ schema, httpPart }) => {
  let made: ReturnType<typeof validatorOf> | undefined
  return input => (made ??= validatorOf(schema, httpPart !== 'body'))(input)
}

function validatorOf(
  schema: Type.TSchema,
  isText: boolean,
): (input: unknown) => { value: unknown } | { error: HttpProblem } {
  const check = Compile(schema),
    { properties = {} } = schema as Partial<Type.TObject>
  // Texts need no conversion. To try them all would take 0.4 ms for a list's query.
  const others = Object.entries(properties).filter(([, type]) => !holdsText(type)),
    convert = Compile(Type.Object(Object.fromEntries(others)))
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

  /**
   * Converts texts, but undoes a conversion that changed the number: "1.5" must not become page 1.
   */
  function converted(texts: Record<string, unknown>): Record<string, unknown> {
    const given = others.flatMap(([name]) => (name in texts ? [[name, texts[name]]] : []))
    // Convert changes the object that it gets.
    const values = convert.Convert(Object.fromEntries(given)) as Record<string, unknown>
    for (const [name, text] of given as [string, unknown][])
      if (
        typeof text === 'string' &&
        typeof values[name] === 'number' &&
        (text.trim() === '' || Number(text) !== values[name])
      )
        values[name] = text
    return { ...texts, ...values }
  }
}

/** Whether all values of this schema are texts, so that nothing in an address needs converting. */
const holdsText = (type: Type.TSchema): boolean => {
  const {
    type: kind,
    enum: values,
    anyOf,
  } = type as {
    type?: string
    enum?: unknown[]
    anyOf?: Type.TSchema[]
  }
  return (
    kind === 'string' ||
    values?.every(value => typeof value === 'string') === true ||
    anyOf?.every(holdsText) === true
  )
}

/** Deepest nesting of a value. No call of ours accepts anything deeper. */
const deepest = 50

/**
 * Finds strings that the database cannot store, with their fields. Postgres text allows no NUL, and
 * its JSON allows no half of a surrogate pair.
 */
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

/**
 * Refuses paths and queries that the database cannot store, on every route. Bodies are checked by
 * their routes.
 */
export function storableAddresses(app: FastifyInstance): void {
  app.addHook('preHandler', async ({ params, query }) => requireStorable(params, query))
}

/** Throws a 400 that names the fields when a value cannot be stored. */
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
    // Another error below describes the same field better.
    if (keyword === 'boolean' || keyword === 'anyOf') continue
    if (keyword === 'required')
      for (const name of named.requiredProperties ?? [])
        add(`${instancePath}/${name}`, 'is missing')
    else if (keyword === 'additionalProperties')
      for (const name of named.additionalProperties ?? [])
        add(`${instancePath}/${name}`, 'is not a field of this call')
    else add(instancePath, message)
  }
  // typebox reports only the first eight errors, and errors of unknown fields ('boolean') come
  // before the one that lists their names. So these fields may be the only ones we know.
  if (found.size === 0)
    for (const { keyword, instancePath } of errors)
      if (keyword === 'boolean') add(instancePath, 'is not a field of this call')
  return [...found].slice(0, 20).map(([field, message]) => ({ field, message }))
}
