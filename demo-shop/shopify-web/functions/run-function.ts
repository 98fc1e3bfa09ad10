import { createContext, Script } from 'node:vm'
import { coerceInputValue, type DocumentNode, executeSync, parse, validate } from 'graphql'
import { functionSchema, type FunctionTarget } from './function-schema.ts'

/** A function of the app, as it was deployed to the platform. */
export type AppFunction = {
  handle: string
  target: FunctionTarget
  /** The GraphQL document that makes its input. */
  query: string
  /** A script that ends as the value of `call`'s function; see `callable`. */
  source: string
}
/** What a function returned, checked by the schema; or why nothing came of it. */
export type FunctionAnswer<T> = { value: T; problem?: undefined } | { problem: string }

/** Milliseconds. The platform counts instructions; this only ends a loop. */
const timeout = 1_000
/** Bytes that a function may get and return. */
const maxInput = 128_000,
  maxOutput = 20_000

type Prepared = { document: DocumentNode; call: (input: string) => string }
const prepared = new WeakMap<AppFunction, Prepared>()

/** Throws when the document does not fit the schema, or the script does not run. */
function prepare(app: AppFunction): Prepared {
  const known = prepared.get(app)
  if (known) return known
  const { schema } = functionSchema(app.target)
  const document = parse(app.query)
  const [wrong] = validate(schema, document)
  if (wrong) throw wrong
  const made = { document, call: callable(app.source) }
  prepared.set(app, made)
  return made
}

/**
 * Runs a function in a context that has nothing of ours. `root`: the input, of which it gets what
 * its document asks for.
 */
export function runFunction<T>(app: AppFunction, root: object): FunctionAnswer<T> {
  try {
    const { document, call } = prepare(app)
    const { schema, result } = functionSchema(app.target)
    const { data, errors } = executeSync({ schema, document, rootValue: root })
    if (errors?.[0]) throw errors[0]
    const input = JSON.stringify(data)
    if (input.length > maxInput) throw new Error(`The input has more than ${maxInput} bytes.`)
    const output = call(input)
    if (output.length > maxOutput) throw new Error(`The output has more than ${maxOutput} bytes.`)
    const value = coerceInputValue(JSON.parse(output), result, (path, _, error) => {
      throw new Error(`${path.join('.')}: ${error.message}`)
    })
    return { value: value as T }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

/**
 * What runs the script with a JSON text. The script is a bundle whose last value is the function,
 * or that has put it on `globalThis.run`.
 */
function callable(source: string): Prepared['call'] {
  const script = new Script(source)
  const call = new Script('JSON.stringify(__function(JSON.parse(__input)))')
  return input => {
    const context = createContext({ __input: input })
    const value = script.runInContext(context, { timeout }) as unknown
    const own = typeof value === 'function' ? value : (context as { run?: unknown }).run
    Object.assign(context, { __function: own })
    return call.runInContext(context, { timeout }) as string
  }
}
