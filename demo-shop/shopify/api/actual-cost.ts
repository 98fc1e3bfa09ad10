import { sizeOf } from './query-cost.ts'

/** The cost of what a query returned, by the same rules as before it ran (query-cost.ts). */
export function actualCost(data: unknown, isMutation: boolean): number {
  if (typeof data !== 'object' || data === null) return 0
  return Object.values(data).reduce<number>(
    (sum, value) => sum + (isMutation ? 10 + inner(value) : cost(value)),
    0,
  )
}

const cost = (value: unknown): number => {
  if (Array.isArray(value)) return value.length === 0 ? 0 : listCost(value)
  if (typeof value !== 'object' || value === null) return 0
  return isConnection(value) ? 2 + inner(value) : 1 + inner(value)
}
const inner = (value: unknown): number =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).reduce(
        (sum, [name, each]) => sum + (name === 'pageInfo' ? 0 : cost(each)),
        0,
      )
    : 0
/** A list counts as its size allows, each thing as the most expensive. */
const listCost = (list: unknown[]): number => sizeOf(list.length) * Math.max(...list.map(cost))
const isConnection = (value: object): boolean =>
  'pageInfo' in value || 'nodes' in value || 'edges' in value
