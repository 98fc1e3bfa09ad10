import { randomUUID } from 'node:crypto'
import type { Capabilities } from '../../domain/platform/capabilities.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { ShopCapabilities } from '../admin/capabilities.ts'
import type { ShowPage } from './show-page.ts'
import { inTransaction, type Database } from '../database.ts'

export type Redirect = { id: string; path: string; target: string }
/**
 * Paths of the shop that lead elsewhere for good. A redirect wins over a page at its path, unless
 * redirects work only on paths without a page.
 */
export type Redirects = {
  /** Where redirects work now. */
  where: () => Capabilities['redirects']
  all: () => Redirect[]
  /** Where `url` (path with query) leads, with its query kept; null when there is no redirect. */
  targetOf: (url: string) => string | null
  /** To create the same redirect again returns the existing one. Throws HttpProblem 422. */
  create: (path: string, target: string) => Redirect
  /** Throws HttpProblem 404. */
  remove: (id: string) => void
}

/** Paths that a redirect must not lead shoppers away from. */
const kept =
  /^\/(admin|cart|checkout|orders|assets|cdn)(\/|$)|^\/(platform\.css|robots\.txt|sitemap\.xml|favicon\.\w+)$/

export function openRedirects(
  db: Database,
  clock: () => Date,
  capabilities: ShopCapabilities,
): Redirects {
  db.exec(
    'create table if not exists url_redirects (id text primary key, path text not null unique, target text not null, created_at text not null) strict',
  )
  const read = db.prepare('select id, path, target from url_redirects order by created_at, id')
  const insert = db.prepare(
    'insert into url_redirects (id, path, target, created_at) values (?, ?, ?, ?)',
  )
  const remove = db.prepare('delete from url_redirects where id = ?')
  let byPath = new Map<string, Redirect>()
  const reread = (): void => {
    byPath = new Map((read.all() as Redirect[]).map(redirect => [redirect.path, redirect]))
  }
  reread()
  const refuse = (field: 'path' | 'target', message: string) =>
    new HttpProblem(422, message, [{ field, message }])

  return {
    where: () => capabilities.current().redirects,
    all: () => [...byPath.values()],
    targetOf: url => {
      const found = isPath(url) ? byPath.get(plain(url)) : undefined
      const at = url.indexOf('?')
      if (!found || at < 0) return found?.target ?? null
      const [, before = '', hash = ''] = /^([^#]*)(#.*)?$/.exec(found.target)!
      return `${before}${before.includes('?') ? '&' : '?'}${url.slice(at + 1)}${hash}`
    },
    create: (path, target) => {
      const from = plain(path)
      if (!isPath(path) || /[?#]/.test(path) || path.length > 255)
        throw refuse('path', 'A path of the shop, such as /pages/old.')
      if (kept.test(from)) throw refuse('path', 'This path cannot lead elsewhere.')
      if (
        target.length > 2_000 ||
        !(isPath(target) || (/^https?:\/\//.test(target) && URL.canParse(target)))
      )
        throw refuse('target', 'A path of the shop, or a whole address.')
      const known = byPath.get(from)
      if (known?.target === target) return known
      if (known) throw refuse('path', `${from} leads to ${known.target} already.`)
      // Each path has one target, so following the targets ends, or comes back here.
      for (
        let next: string | undefined = target;
        next !== undefined && isPath(next);
        next = byPath.get(plain(next))?.target
      )
        if (plain(next) === from) throw refuse('target', 'This would lead round in a circle.')
      const redirect = { id: randomUUID(), path: from, target }
      insert.run(redirect.id, from, target, clock().toISOString())
      reread()
      return redirect
    },
    remove: id => {
      const { changes } = inTransaction(db, () => remove.run(id))
      if (!changes) throw new HttpProblem(404, 'There is no such redirect.')
      reread()
    },
  }
}

/**
 * Whether a text is a path of the shop itself. Browsers read "//host" and "/\host" as another host.
 */
const isPath = (text: string): boolean =>
  /^\/(?![/\\])/.test(text) && !/[\u0000-\u0020\u007f\\]/.test(text)
/** A path as browsers request it, without query, hash and a slash at its end. */
function plain(path: string): string {
  const { pathname } = new URL(path, 'http://shop')
  let end = pathname.length
  // No regular expression: a long run of slashes that is not at the end would take quadratic time.
  while (end > 1 && pathname[end - 1] === '/') end--
  return pathname.slice(0, end)
}

/** The shop's redirect of a path without a page; null when there is none. */
export function missingTarget(redirects: Redirects, url: string): string | null {
  return redirects.where() === 'missingPages' ? redirects.targetOf(url) : null
}

/** Shows the pages of the shop. Where a page would be missing, its redirect answers instead. */
export const redirectMissing =
  (show: ShowPage, redirects: Redirects): ShowPage =>
  async (request, reply, type, ...page) => {
    const target = type === '404' ? missingTarget(redirects, request.url) : null
    return target === null
      ? show(request, reply, type, ...page)
      : reply.header('cache-control', 'no-store').redirect(target, 301)
  }
