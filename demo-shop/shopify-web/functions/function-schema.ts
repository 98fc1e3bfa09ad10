import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import {
  buildClientSchema,
  type GraphQLInputType,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql'

/** Where the platform runs functions of apps, with the published schema of each place. */
const targets = {
  'cart.transform.run': { file: 'functions_cart_transform_2026-10', result: 'cartTransformRun' },
  'cart.lines.discounts.generate.run': {
    file: 'functions_discount_2026-10',
    result: 'cartLinesDiscountsGenerateRun',
  },
} as const
export type FunctionTarget = keyof typeof targets
export const functionTargets = Object.keys(targets) as FunctionTarget[]

/** `result`: the type of what a function returns. */
export type FunctionSchema = { schema: GraphQLSchema; result: GraphQLInputType }

const loaded = new Map<FunctionTarget, FunctionSchema>()

/** Reads a published schema, once for the process. */
export function functionSchema(target: FunctionTarget): FunctionSchema {
  const known = loaded.get(target)
  if (known) return known
  const { file, result } = targets[target]
  const zipped = readFileSync(new URL(`../schema/${file}.json.gz`, import.meta.url))
  const read = JSON.parse(gunzipSync(zipped).toString()) as
    | IntrospectionQuery
    | { data: IntrospectionQuery }
  const schema = buildClientSchema('data' in read ? read.data : read)
  const mutation = schema.getMutationType()!.getFields()[result]!
  const made = { schema, result: mutation.args[0]!.type }
  loaded.set(target, made)
  return made
}
