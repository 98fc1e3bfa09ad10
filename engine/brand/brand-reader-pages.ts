import type { FontSource } from '../../domain/brand/brand-style-look.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { type RawPage, snapshot } from './brand-reader-snapshot.ts'
import { PageTree } from './brand-reader-tree.ts'
import type { Answer } from '../browser/chromium-page.ts'
import type { FetchedPage, ShopPage } from '../platform/adapter.ts'
import { addressOn, shopPath, type ShopHosts } from '../drafts/redirect-urls.ts'
import type { ShopPages } from '../browser/shop-browser.ts'

type FontFace = { family: string; style: string; weight: string }
export type DeclaredFace = FontFace & { source: FontSource; stylesheet: string }
export type ReadPage = { tree: PageTree; faces: DeclaredFace[] }

// A theme has a handful of stylesheets. We read at most this many for a page.
const sheetLimit = 30,
  pageKinds = ['home', 'collection', 'product'] as const
/**
 * Content security policy of a page while we read it: its scripts do not run, and only its
 * stylesheets load.
 */
const policy = "default-src 'none'; style-src * 'unsafe-inline'"

/** Fetches a page or stylesheet of the shop. */
export type Fetch = (url: string) => Promise<FetchedPage>
type FoundPage = { url: string; text: string }

/**
 * Fetches the shop's home page, first collection page and first product page. Throws HttpProblem
 * when the home page cannot be read: 409 if it is closed to the public, otherwise 502.
 */
export async function findPages(
  fetch: Fetch,
  hosts: ShopHosts,
  known: ShopPage[],
): Promise<FoundPage[]> {
  const pages: FoundPage[] = []
  for (const kind of pageKinds) {
    const path = known.find(page => page.kind === kind)?.path ?? (kind === 'home' ? '/' : null)
    if (!path) continue
    const url = addressOn(hosts, path)
    const { status, type, text } = await fetch(url)
    if (status === 200 && type.includes('html')) pages.push({ url, text })
    else if (kind === 'home') throw noHome(status)
  }
  return pages
}

/** A shop with a password answers 401 or 403, or redirects to its password page. */
const noHome = (status: number): HttpProblem =>
  [401, 403].includes(status) || (status >= 300 && status < 400)
    ? new HttpProblem(
        409,
        'The shop’s home page asks for a password or redirects elsewhere. Open the shop to everyone while we read it.',
      )
    : new HttpProblem(502, 'The shop’s home page could not be read.')

/**
 * Reads a page in a browser. The browser has no network access: we fetch the stylesheets that it
 * requests, and only from the shop's own hosts.
 */
export async function readPage(
  browser: ShopPages,
  fetch: Fetch,
  hosts: ShopHosts,
  { url, text }: FoundPage,
): Promise<ReadPage> {
  const asked = new Set<string>()
  const answer = async (request: URL, kind: string): Promise<Answer | null> => {
    if (kind === 'document')
      return request.href === url
        ? {
            type: 'text/html; charset=utf-8',
            body: text,
            headers: { 'content-security-policy': policy },
          }
        : { type: 'text/plain', body: '', status: 204 }
    const path = kind === 'stylesheet' ? shopPath(request.href, hosts) : null
    if (path === null) return null
    const address = addressOn(hosts, path)
    asked.add(address)
    if (asked.size > sheetLimit) return null
    const sheet = await fetch(address)
    return sheet.status === 200 ? { type: 'text/css; charset=utf-8', body: sheet.text } : null
  }
  const raw = JSON.parse(await browser.read(url, answer, snapshot)) as RawPage
  const isOwn = (sheet: string) => shopPath(sheet, hosts) !== null
  const foreign = raw.sheets.filter(sheet => !isOwn(sheet)).map(sheet => new URL(sheet))
  const closed = raw.closed.find(isOwn) ?? url
  return {
    tree: new PageTree(raw),
    faces: [
      ...foreign.flatMap(sheet =>
        hostedFaces(sheet).map(face => ({
          ...face,
          source: 'web' as const,
          stylesheet: sheet.href,
        })),
      ),
      ...raw.faces.map(({ sheet, ...face }) => ({
        ...face,
        source: 'theme' as const,
        stylesheet: withoutQuery(sheet === 'closed' ? closed : (sheet ?? url)),
      })),
    ],
  }
}

/** Removes the query, which changes with every version of the file. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/**
 * The font faces named in the stylesheet address of a web font host, such as
 * "css2?family=Inter:ital,wght@0,400;1,700".
 */
function hostedFaces(url: URL): FontFace[] {
  if (!['fonts.googleapis.com', 'fonts.bunny.net', 'fonts.googleapis.cn'].includes(url.hostname))
    return []
  return url.searchParams
    .getAll('family')
    .flatMap(all => all.split('|'))
    .flatMap(text => {
      const [family = '', axes = ''] = text.split(':')
      const [names = '', values] = axes.split('@')
      const face = (style: string, weight: string): FontFace => ({
        family: family.replaceAll('+', ' '),
        style,
        weight,
      })
      if (values === undefined)
        return (axes || '400')
          .split(',')
          .map(one =>
            face(
              /i/.test(one) ? 'italic' : 'normal',
              /\d+/.exec(one)?.[0] ?? (one.startsWith('b') ? '700' : '400'),
            ),
          )
      const order = names.split(',')
      return values.split(';').map(one => {
        const value = (axis: string) => one.split(',')[order.indexOf(axis)]
        return face(
          value('ital') === '1' ? 'italic' : 'normal',
          (value('wght') ?? '400').replace('..', ' '),
        )
      })
    })
}
