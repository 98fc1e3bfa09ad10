import { fc } from '../../properties.ts'

/** The parts of JSON Schema that the contract uses. */
export type Schema = {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema | Schema[]
  minItems?: number
  maxItems?: number
  minProperties?: number
  maxProperties?: number
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  minLength?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
}

const words = fc.constantFrom(
  '',
  'a',
  ' ',
  'Fern & Kiln',
  '=1+1',
  '<script>alert(1)</script>',
  "' or 1=1 --",
  '\u2028',
  '😀',
  '/products/*',
  'https://evil.example/',
  '//evil',
  '../../etc/passwd',
  '%00',
  'null',
  '0',
  '2026-11-21T12:00:00.000Z',
)

/** Values that fit the schema, including odd ones. */
export function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fitting))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'object':
      return record(schema)
    case 'array':
      return list(schema)
    case 'string':
      return text(schema)
    case 'integer':
      return fc.integer(bounds(schema))
    case 'number':
      return fc.double({ ...bounds(schema), noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue()
  }
}

const bounds = ({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema) => ({
  min: minimum ?? (exclusiveMinimum === undefined ? -1_000_000 : exclusiveMinimum + 1),
  max: maximum ?? (exclusiveMaximum === undefined ? 1_000_000 : exclusiveMaximum - 1),
})

function text({ minLength = 0, maxLength = 200, pattern }: Schema): fc.Arbitrary<string> {
  if (pattern)
    return fc
      .stringMatching(new RegExp(pattern))
      .filter(value => value.length >= minLength && value.length <= maxLength)
  const size = { minLength, maxLength: Math.min(maxLength, minLength + 40) }
  return fc.oneof(
    words.filter(word => word.length >= minLength && word.length <= maxLength),
    fc.string(size),
    fc.string({ ...size, unit: 'binary' }),
  )
}

function record({
  properties = {},
  required = [],
  patternProperties,
  additionalProperties,
  minProperties = 0,
  maxProperties = 5,
}: Schema): fc.Arbitrary<unknown> {
  const own = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, fitting(value)])),
    { requiredKeys: required },
  )
  const [pattern, value] = Object.entries(patternProperties ?? {})[0] ?? []
  const free = pattern
    ? { keys: fc.stringMatching(new RegExp(pattern)), values: fitting(value!) }
    : typeof additionalProperties === 'object'
      ? { keys: fc.string({ maxLength: 20 }), values: fitting(additionalProperties) }
      : null
  if (!free) return own
  return fc
    .tuple(
      own,
      fc.dictionary(free.keys, free.values, {
        minKeys: minProperties,
        maxKeys: Math.min(maxProperties, 8),
      }),
    )
    .map(([a, b]) => ({ ...a, ...b }))
}

function list({ items = {}, minItems = 0, maxItems = 3 }: Schema): fc.Arbitrary<unknown> {
  if (Array.isArray(items)) return fc.tuple(...items.map(fitting))
  return fc.array(fitting(items), {
    minLength: minItems,
    maxLength: Math.max(minItems, Math.min(maxItems, 4)),
  })
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1e300,
    2 ** 53,
    '',
    'x'.repeat(20_000),
    '\u0000',
    [],
    {},
    [[]],
    { __proto__: null, constructor: 'x' },
    'NaN',
    -0.5,
  ),
  fc.jsonValue(),
)

/** A value that breaks its schema: one part is dropped, replaced or added, at any depth. */
export const bent = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      value,
      fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
      fc.constantFrom('drop', 'replace', 'add', 'whole'),
      odd,
      fc.constantFrom('storeId', 'status', '__proto__', 'id', 'price', 'x'),
    )
    .map(([given, path, how, other, name]) =>
      how === 'whole' ? other : bend(structuredClone(given), path, how, other, name),
    )

function bend(
  value: unknown,
  [step = 0, ...rest]: number[],
  how: string,
  other: unknown,
  name: string,
): unknown {
  if (typeof value !== 'object' || value === null) return other
  const holder = value as Record<string, unknown>
  const keys = Object.keys(holder)
  if (how === 'add' && !Array.isArray(value)) return { ...holder, [name]: other }
  const key = keys[step % Math.max(1, keys.length)]
  if (key === undefined) return other
  if (typeof holder[key] === 'object' && holder[key] !== null && rest.length > 0 && rest[0]! % 2)
    holder[key] = bend(holder[key], rest, how, other, name)
  else if (how === 'drop') {
    if (Array.isArray(value)) value.splice(Number(key), 1)
    else delete holder[key]
  } else holder[key] = other
  return value
}
