/*
 * A JSON text as a tree that knows the position of each value. So one value can be changed while
 * all other characters stay: the order of keys, spaces and a comment at the beginning.
 */
export type JsonScalar = string | number | boolean | null
export type JsonNode = { start: number; end: number } &
  /** `last`: members by key. When a key occurs twice, the last one counts, as in JSON.parse. */
  (
    | { type: 'object'; members: JsonMember[]; last: ReadonlyMap<string, JsonMember> }
    | { type: 'array'; items: JsonNode[] }
    | { type: 'scalar'; value: JsonScalar }
  )
type JsonMember = { key: string; start: number; value: JsonNode }
export type JsonObject = Extract<JsonNode, { type: 'object' }>

/**
 * What replaces a value: JSON text, null to remove it, or changes of an object's members by key.
 */
export type Rewrite = string | null | ReadonlyMap<string, Rewrite>

/** Maximum depth of nesting. No file from a person or an editor is deeper. */
const deepest = 100

/**
 * The tree of a text, which may begin with a comment. Null when it is not JSON or is nested too
 * deep.
 */
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
/** The strings in the array at `key`; undefined when there is no array. */
export function stringsAt(node: JsonNode | undefined, key: string): string[] | undefined {
  const found = memberOf(node, key)
  return found?.type === 'array'
    ? found.items.flatMap(item =>
        item.type === 'scalar' && typeof item.value === 'string' ? [item.value] : [],
      )
    : undefined
}

/**
 * The text of a value after a change. New members come after the last one, with the same spaces as
 * the others.
 */
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
    // The first member that stays takes the spaces of the first member in the text.
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

/**
 * The text of an array with its items in another order. `order[i]` is the present index of the item
 * that goes to place i.
 */
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

/** Whether two trees have the same values. Spaces and the order of keys do not matter. */
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

/** Adds a comma to the spaces between members: before a single member there is none. */
const separator = (spacing: string): string =>
  spacing.includes(',') ? spacing : `,${spacing || ' '}`

/** The tree of a value in a valid JSON text. Throws a RangeError when it is nested too deep. */
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
