import t from 'tap'
import type { Call } from '../../../domain/api/call.ts'
import { contract } from '../../../domain/api/contract.ts'
import { staffContract } from '../../../domain/staff/staff-contract.ts'

type Schema = {
  [key: string]: unknown
  type?: string
  properties?: Record<string, Schema>
  anyOf?: Schema[]
  items?: Schema | Schema[]
  patternProperties?: Record<string, Schema>
}
/** A schema and all schemas inside it, each with its path. */
function* schemasIn(schema: Schema, at: string): Generator<[at: string, schema: Schema]> {
  yield [at, schema]
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    yield* schemasIn(inner, `${at}.${name}`)
  for (const inner of schema.anyOf ?? []) yield* schemasIn(inner, at)
  for (const inner of [schema.items ?? []].flat()) yield* schemasIn(inner, `${at}[]`)
}
const calls = Object.entries<Call>({ ...contract, ...staffContract })
const all = (...parts: ('params' | 'query' | 'body' | 'response')[]) =>
  calls.flatMap(([name, call]) =>
    parts.flatMap(part =>
      call[part] ? [...schemasIn(call[part] as unknown as Schema, `${name} ${part}`)] : [],
    ),
  )
const named = (found: [at: string, schema: Schema][], isWrong: (schema: Schema) => boolean) => [
  ...new Set(found.filter(([, schema]) => isWrong(schema)).map(([at]) => at)),
]

/** True for a pattern that limits the length: anchored at both ends, without * or + or {n,}. */
const isBounded = (pattern: string) =>
  pattern.startsWith('^') && pattern.endsWith('$') && !/[*+]|\{\d+,\}/.test(pattern)

t.test(
  'every input is limited: texts, lists and numbers have a maximum, and unknown fields are refused',
  async t => {
    const asked = all('params', 'query', 'body')
    t.same(
      named(
        asked,
        ({ type, maxLength, enum: choices, format, const: one, pattern }) =>
          type === 'string' &&
          maxLength === undefined &&
          !choices &&
          !format &&
          one === undefined &&
          !isBounded(String(pattern)),
      ),
      ['updateDraft body.domSelectors[].id', 'setDomSelectors body.domSelectors[].id'],
      'texts have a maximum, except ids of DOM selectors: an invalid one is replaced',
    )
    t.same(
      named(
        asked,
        ({ type, maxItems, uniqueItems, items }) =>
          type === 'array' && maxItems === undefined && !uniqueItems && !Array.isArray(items),
      ),
      [],
      'lists have a maximum',
    )
    t.same(
      named(asked, ({ type, maximum }) => type === 'integer' && maximum === undefined),
      [],
      'whole numbers have a maximum',
    )
    t.same(
      named(
        asked,
        ({ type, additionalProperties }) => type === 'object' && additionalProperties === undefined,
      ),
      [],
      'objects refuse unknown fields',
    )
  },
)

t.test('every object schema has fields, and every enum has values', async t => {
  const every = all('params', 'query', 'body', 'response')
  t.same(
    named(
      every,
      ({ type, properties, patternProperties, additionalProperties }) =>
        type === 'object' &&
        Object.keys(properties ?? {}).length === 0 &&
        !patternProperties &&
        typeof additionalProperties !== 'object',
    ),
    [],
  )
  t.same(
    named(every, ({ enum: choices }) => Array.isArray(choices) && choices.length === 0),
    [],
  )
})
