import { HttpProblem } from '../../domain/problem.ts'
import { assignedTypes, type AssignedType } from '../../domain/themes/template.ts'
import { integer, text, type Fields } from '../forms.ts'
import type { Assignments, Resource } from './assignments.ts'

const largestPage = 250,
  mostPaths = 100,
  titlesShown = 5

/** One page of the resources of a type, in the order of their ids. */
export function resourcePage(assignments: Assignments, query: Fields) {
  const type = typeOf(query['type'])
  const size = query['page_size'] === undefined ? largestPage : integer(query['page_size'])
  if (!(size >= 1 && size <= largestPage)) throw wrong('page_size', `1 to ${largestPage}.`)
  const ids = listOf(query['id']),
    paths = listOf(query['path'])
  if (ids && ids.size > largestPage) throw wrong('id', `At most ${largestPage} ids.`)
  if (paths && paths.size > mostPaths) throw wrong('path', `At most ${mostPaths} paths.`)
  const suffix = query['suffix'] === undefined ? null : text(query['suffix'])
  const words = text(query['query']).toLowerCase().split(/\s+/).filter(Boolean)
  const isWanted = (each: Resource): boolean =>
    (!ids || ids.has(each.id)) &&
    (!paths || paths.has(each.path)) &&
    (suffix === null || each.suffix === suffix) &&
    words.every(word => each.title.toLowerCase().includes(word) || each.handle.includes(word))
  const after = Number(query['cursor'] ?? -1)
  if (!Number.isInteger(after)) throw wrong('cursor', 'This is no cursor of this list.')
  const all = assignments.resources(type).filter(isWanted)
  const beyond = all
    .filter(({ id }) => Number(id) > after)
    .sort((a, b) => Number(a.id) - Number(b.id))
  const items = beyond.slice(0, size)
  return {
    items,
    end_cursor: items.at(-1)?.id ?? null,
    has_next: beyond.length > size,
    total: all.length,
  }
}

/** How many resources of a type use each template, with a few titles. */
export function templateUses(assignments: Assignments, type: AssignedType) {
  const uses = new Map<string, { suffix: string; count: number; titles: string[] }>()
  for (const { suffix, title } of assignments.resources(type)) {
    const use = uses.get(suffix) ?? { suffix, count: 0, titles: [] }
    uses.set(suffix, use)
    use.count++
    if (use.titles.length < titlesShown) use.titles.push(title)
  }
  return [...uses.values()]
}

const listOf = (value: unknown): Set<string> | null =>
  value === undefined ? null : new Set((Array.isArray(value) ? value : [value]).map(text))

export function typeOf(value: unknown): AssignedType {
  const type = assignedTypes.find(type => type === value)
  if (!type) throw wrong('type', `One of ${assignedTypes.join(', ')}.`)
  return type
}

const wrong = (field: string, message: string) =>
  new HttpProblem(422, `${field}: ${message}`, [{ field, message }])
