/**
 * What a part of an answer must be: text, a number, yes or no, anything; `?` may be null, `*` is a
 * list. An object names its fields; `on Name` has those that it needs when `__typename` is Name.
 */
export type AnswerShape =
  | 's'
  | 'n'
  | 'b'
  | 'j'
  | readonly ['?' | '*', AnswerShape]
  | { readonly [field: string]: AnswerShape }

/**
 * A GraphQL operation with the types of its answer and variables, made from a document
 * (`npm run shopify:types`). The types are only in the mind of the type checker.
 */
export type ShopifyDocument<Answer, Variables> = {
  name: string
  kind: 'query' | 'mutation'
  text: string
  shape: AnswerShape
  readonly typesOf?: (variables: Variables) => Answer
}

/** Whether an answer has the shape that its document promises. */
export function hasShape(value: unknown, shape: AnswerShape): boolean {
  switch (shape) {
    case 's':
      return typeof value === 'string'
    case 'n':
      return typeof value === 'number'
    case 'b':
      return typeof value === 'boolean'
    case 'j':
      return value !== undefined
  }
  if (isPair(shape)) {
    const [kind, inner] = shape
    if (kind === '?') return value === null || hasShape(value, inner)
    return Array.isArray(value) && value.every(one => hasShape(one, inner))
  }
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Record<string, unknown>
  return Object.entries(shape).every(([field, inner]) =>
    field.startsWith('on ')
      ? fields['__typename'] !== field.slice('on '.length) || hasShape(value, inner)
      : hasShape(fields[field], inner),
  )
}

const isPair = (shape: Exclude<AnswerShape, string>): shape is readonly ['?' | '*', AnswerShape] =>
  Array.isArray(shape)
