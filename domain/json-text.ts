/*
 * A JSON text as a tree that knows where each value stands: one value can be changed and every other character stays,
 * with the order of keys and what the writer of the text put around them.
 */
export type JsonScalar = string | number | boolean | null
export type JsonNode = { start: number; end: number } &
  /** `last`: by key; of a key that stands there twice the last counts, as everywhere. */
  (
    | { type: 'object'; members: JsonMember[]; last: ReadonlyMap<string, JsonMember> }
    | { type: 'array'; items: JsonNode[] }
    | { type: 'scalar'; value: JsonScalar }
  )
type JsonMember = { key: string; start: number; value: JsonNode }
export type JsonObject = Extract<JsonNode, { type: 'object' }>

/** What takes a value's place: JSON, nothing at all, or changes of an object's members. */
export type Rewrite = string | null | ReadonlyMap<string, Rewrite>

/** No file that a person or an editor writes is nested deeper. */
const deepest = 100

/** The tree of a text, after a comment that may stand before it; null when it is no JSON. */
export function jsonTree(text: string): JsonNode | null {
  const start = /^\s*\/\*[\s\S]*?\*\//.exec(text)?.[0].length ?? 0
  try {
    JSON.parse(text.slice(start))
    return nodeAt(text, skip(text, start), 0)
  } catch {
    return null
  }
}

export const memberOf = (node: JsonNode | undefined, key: string): JsonNode | undefined =>
  node?.type === 'object' ? node.last.get(key)?.value : undefined
export const objectAt = (node: JsonNode | undefined, key: string): JsonObject | undefined => {
  const found = memberOf(node, key)
  return found?.type === 'object' ? found : undefined
}
export const scalarAt = (node: JsonNode | undefined, key: string): JsonScalar | undefined => {
  const found = memberOf(node, key)
  return found?.type === 'scalar' ? found.value : undefined
}
/** The strings of an array, where it is one. */
export function stringsAt(node: JsonNode | undefined, key: string): string[] | undefined {
  const found = memberOf(node, key)
  return found?.type === 'array'
    ? found.items.flatMap(item =>
        item.type === 'scalar' && typeof item.value === 'string' ? [item.value] : [],
      )
    : undefined
}

/** The text of a value with changes made in it. What is added follows the last member, spaced as the members are. */
export function rewritten(text: string, node: JsonNode | undefined, change: Rewrite): string {
  if (change === null || typeof change === 'string') return change ?? 'null'
  if (node?.type !== 'object') return `{${newMembers(change, new Map()).join(', ')}}`
  const { members, last } = node
  const before = (at: number) =>
    text.slice(at === 0 ? node.start + 1 : members[at - 1]!.value.end, members[at]!.start)
  let body = '',
    isFirst = true
  for (const [at, member] of members.entries()) {
    const wanted = last.get(member.key) === member ? change.get(member.key) : undefined
    if (wanted === null) continue
    // The first that stays takes the place, and so the spacing, of the first there was.
    body += isFirst ? before(0) : before(at)
    body +=
      text.slice(member.start, member.value.start) +
      (wanted === undefined
        ? text.slice(member.value.start, member.value.end)
        : rewritten(text, member.value, wanted))
    isFirst = false
  }
  const spacing = members.length > 0 ? separator(before(members.length - 1)) : ''
  for (const added of newMembers(change, last)) {
    body += isFirst ? (members.length > 0 ? before(0) : '') + added : (spacing || ', ') + added
    isFirst = false
  }
  return `{${body}${text.slice(members.at(-1)?.value.end ?? node.start + 1, node.end)}`
}

/** The text of an array with its items in another order; `order` says which item stands where. */
export function reordered(
  text: string,
  node: JsonNode & { type: 'array' },
  order: readonly number[],
): string {
  const { items } = node
  const parts = items.map(
    (item, at) =>
      text.slice(at === 0 ? node.start : items[at - 1]!.end, item.start) +
      text.slice(items[order[at]!]!.start, items[order[at]!]!.end),
  )
  return parts.join('') + text.slice(items.at(-1)?.end ?? node.start, node.end)
}

/** Whether two texts hold the same values, however they are written. */
export function isSameJson(a: JsonNode, b: JsonNode): boolean {
  if (a.type === 'scalar') return b.type === 'scalar' && a.value === b.value
  if (a.type === 'array')
    return (
      b.type === 'array' &&
      a.items.length === b.items.length &&
      a.items.every((item, at) => isSameJson(item, b.items[at]!))
    )
  if (b.type !== 'object') return false
  return (
    a.last.size === b.last.size &&
    [...a.last.values()].every(({ key, value }) => {
      const other = memberOf(b, key)
      return other !== undefined && isSameJson(value, other)
    })
  )
}

const newMembers = (
  change: ReadonlyMap<string, Rewrite>,
  last: ReadonlyMap<string, JsonMember>,
): string[] =>
  [...change].flatMap(([key, wanted]) =>
    wanted === null || last.has(key)
      ? []
      : [`${JSON.stringify(key)}: ${rewritten('', undefined, wanted)}`],
  )

/** What stands before a lone member has no comma. */
const separator = (spacing: string): string =>
  spacing.includes(',') ? spacing : `,${spacing || ' '}`

/** Of a text that is known to be JSON. Throws when it is nested too deep. */
function nodeAt(text: string, start: number, depth: number): JsonNode {
  if (depth > deepest) throw new RangeError('nested too deep')
  if (text[start] === '{') {
    const members: JsonMember[] = [],
      last = new Map<string, JsonMember>()
    let at = skip(text, start + 1)
    while (text[at] !== '}') {
      const key = scalarEnd(text, at)
      const value = nodeAt(text, skip(text, skip(text, key) + 1), depth + 1)
      const member = { key: JSON.parse(text.slice(at, key)) as string, start: at, value }
      members.push(member)
      last.set(member.key, member)
      at = afterComma(text, value.end)
    }
    return { type: 'object', members, last, start, end: at + 1 }
  }
  if (text[start] === '[') {
    const items: JsonNode[] = []
    let at = skip(text, start + 1)
    while (text[at] !== ']') {
      const item = nodeAt(text, at, depth + 1)
      items.push(item)
      at = afterComma(text, item.end)
    }
    return { type: 'array', items, start, end: at + 1 }
  }
  const end = scalarEnd(text, start)
  return { type: 'scalar', value: JSON.parse(text.slice(start, end)) as JsonScalar, start, end }
}

const scalarForm = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s,:\]}]+/y
function scalarEnd(text: string, at: number): number {
  scalarForm.lastIndex = at
  scalarForm.test(text)
  return scalarForm.lastIndex
}
const spaceForm = /[ \t\n\r]*/y
function skip(text: string, at: number): number {
  spaceForm.lastIndex = at
  spaceForm.test(text)
  return spaceForm.lastIndex
}
function afterComma(text: string, at: number): number {
  const next = skip(text, at)
  return text[next] === ',' ? skip(text, next + 1) : next
}
