import type { AssignedType } from '../../domain/themes/template.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { articles, blogs } from '../catalogue/blog.ts'
import type { Catalogue } from '../catalogue/changed.ts'
import { pages } from '../catalogue/pages.ts'
import { inTransaction, type Database } from '../database.ts'
import type { Themes } from './themes.ts'
import type { Outbox } from '../apps/webhooks.ts'

/**
 * Something that has a page, and the template that draws this page. suffix '' means its type's own
 * template.
 */
export type Resource = {
  type: AssignedType
  id: string
  handle: string
  title: string
  path: string
  suffix: string
}
export type Assignments = {
  /** All resources of a type. Products that are not on sale have a template too. */
  resources: (type: AssignedType) => Resource[]
  /** The suffix of the template that draws `id`, unless the page's address asks for another. */
  suffixOf: (type: AssignedType, id: number) => string
  /** When `id` was last assigned to a template; null when nobody knows or never. ISO instant. */
  assignedAt: (type: AssignedType, id: number) => string | null
  /** Makes all of these assignments or none. Throws HttpProblem 404 and 422. */
  assign: (changes: { type: AssignedType; id: string; suffix: string }[]) => void
}

export function openAssignments(
  db: Database,
  outbox: Outbox,
  catalogue: Catalogue,
  themes: Themes,
  clock: () => Date,
): Assignments {
  db.exec(
    'create table if not exists assignments (type text not null, resource_id text not null, suffix text not null, primary key (type, resource_id)) strict',
  )
  const has = db.prepare('pragma table_info(assignments)').all() as { name: string }[]
  if (!has.some(({ name }) => name === 'assigned_at'))
    db.exec('alter table assignments add column assigned_at text')
  const write = db.prepare(
    'insert into assignments (type, resource_id, suffix, assigned_at) values (?, ?, ?, ?) on conflict (type, resource_id) do update set suffix = excluded.suffix, assigned_at = excluded.assigned_at',
  )
  const readAt = db.prepare(
    'select assigned_at as at from assignments where type = ? and resource_id = ?',
  )
  const changed = new Map(
    (
      db.prepare('select type, resource_id, suffix from assignments').all() as {
        type: string
        resource_id: string
        suffix: string
      }[]
    ).map(row => [`${row.type} ${row.resource_id}`, row.suffix]),
  )

  type Source = { id: number; handle: string; title: string; url: string; suffix?: string }
  const sources: Record<AssignedType, () => Source[]> = {
    product: () => catalogue.all().map(({ product }) => product),
    collection: () => catalogue.collections(),
    page: () => pages,
    blog: () => blogs,
    article: () => articles,
  }
  const started = (type: AssignedType, id: string, suffix = ''): string =>
    changed.get(`${type} ${id}`) ?? suffix
  const resources = (type: AssignedType): Resource[] =>
    sources[type]().map(({ id, handle, title, url, suffix }) => ({
      type,
      id: String(id),
      handle,
      title,
      path: url,
      suffix: started(type, String(id), suffix),
    }))

  return {
    resources,
    suffixOf: (type, id) =>
      started(type, String(id), sources[type]().find(source => source.id === id)?.suffix),
    assignedAt: (type, id) =>
      (readAt.get(type, String(id)) as { at: string | null } | undefined)?.at ?? null,
    assign: changes => {
      const suffixes = new Map(
        [...new Set(changes.map(({ type }) => type))].flatMap(type =>
          resources(type).map(({ id, suffix }) => [`${type} ${id}`, suffix] as const),
        ),
      )
      for (const { type, id, suffix } of changes) {
        if (!suffixes.has(`${type} ${id}`)) throw new HttpProblem(404, `There is no ${type} ${id}.`)
        if (!/^[A-Za-z0-9_-]{0,50}$/.test(suffix))
          throw new HttpProblem(422, `“${suffix}” is no suffix of a template.`, [
            { field: id, message: 'Letters, digits, “-” and “_”.' },
          ])
      }
      const real = changes.filter(
        ({ type, id, suffix }) => suffixes.get(`${type} ${id}`) !== suffix,
      )
      if (real.length === 0) return
      const at = clock()
      inTransaction(db, () => {
        for (const { type, id, suffix } of real) write.run(type, id, suffix, at.toISOString())
        themes.touch(at)
      })
      for (const { type, id, suffix } of real) changed.set(`${type} ${id}`, suffix)
      outbox.wake()
    },
  }
}
