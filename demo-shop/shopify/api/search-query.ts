import { GraphQLError } from 'graphql'

/** The values of a field that a search compares; a date is a Date. */
export type SearchFields<T> = Record<string, (item: T) => string | number | boolean | Date | null>
type Test<T> = (item: T) => boolean

/**
 * Reads a search of the platform: words and `field:value` with AND, OR, NOT, brackets, quotes,
 * `*` at the end or beginning of a value, and `:>=` and the like. A word without a field is looked
 * for in `words`. Refuses a field that is not in `fields`: the platform would ignore it, and the
 * app would get things that it did not ask for.
 */
export function searchFor<T>(
  query: string | null | undefined,
  fields: SearchFields<T>,
  words: (item: T) => string,
): Test<T> {
  const tokens = tokensOf(query ?? '')
  let at = 0
  const any = (): Test<T> => {
    const parts = [all()]
    while (tokens[at]?.text === 'OR') {
      at++
      parts.push(all())
    }
    return parts.length === 1 ? parts[0]! : item => parts.some(part => part(item))
  }
  const all = (): Test<T> => {
    const parts: Test<T>[] = []
    for (
      let token = tokens[at];
      token && token.text !== 'OR' && token.text !== ')';
      token = tokens[at]
    ) {
      if (token.text === 'AND') at++
      else parts.push(one())
    }
    return item => parts.every(part => part(item))
  }
  const one = (): Test<T> => {
    const token = tokens[at++]!
    if (token.text === 'NOT' || token.text === '-') {
      const inner = one()
      return item => !inner(item)
    }
    if (token.text === '(') {
      const inner = any()
      at++
      return inner
    }
    return term(token)
  }
  const term = ({ text, field }: Token): Test<T> => {
    if (field === undefined) {
      const word = text.toLowerCase().replaceAll('*', '')
      return item => words(item).toLowerCase().includes(word)
    }
    const read = fields[field]
    if (!read) throw new GraphQLError(`This stand-in cannot search by ${field}.`)
    const [, operator = '', value = ''] = /^(>=|<=|>|<)?(.*)$/s.exec(text)!
    return item => compares(read(item), operator, value)
  }
  const test = any()
  if (at < tokens.length) throw new GraphQLError(`The search ${query} cannot be read.`)
  return test
}

type Token = { text: string; field?: string }

function tokensOf(query: string): Token[] {
  const tokens: Token[] = []
  const pattern =
    /\s*(?:([()])|(-)(?=[\w"'(])|(?:(\w+):)?((?:>=|<=|>|<)?)(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|((?:[^\s()\\]|\\.)+)))/gy
  for (const match of query.trim().matchAll(pattern)) {
    const [, bracket, minus, field, operator = '', double, single, bare] = match
    const text = bracket ?? minus
    if (text !== undefined) tokens.push({ text })
    else {
      const value = operator + (double ?? single ?? bare ?? '').replaceAll(/\\(.)/gs, '$1')
      tokens.push(field === undefined ? { text: value } : { text: value, field })
    }
  }
  return tokens
}

function compares(
  value: string | number | boolean | Date | null,
  operator: string,
  asked: string,
): boolean {
  if (value === null) return asked === '' || asked === 'null'
  if (value instanceof Date || typeof value === 'number') {
    const [mine, theirs] = [
      Number(value),
      value instanceof Date ? Date.parse(asked) : Number(asked),
    ]
    if (Number.isNaN(theirs)) throw new GraphQLError(`${asked} cannot be compared.`)
    return operator === '>'
      ? mine > theirs
      : operator === '>='
        ? mine >= theirs
        : operator === '<'
          ? mine < theirs
          : operator === '<='
            ? mine <= theirs
            : mine === theirs
  }
  const [mine, theirs] = [String(value).toLowerCase(), asked.toLowerCase()]
  if (theirs === '*') return mine !== ''
  const core = theirs.replaceAll('*', '')
  if (theirs.startsWith('*') && theirs.endsWith('*')) return mine.includes(core)
  if (theirs.endsWith('*')) return mine.startsWith(core)
  return theirs.startsWith('*') ? mine.endsWith(core) : mine === theirs
}
