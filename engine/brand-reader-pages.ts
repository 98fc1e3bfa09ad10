import { type CheerioAPI, load } from 'cheerio'
import type { FontSource } from '../domain/brand-style-look.ts'
import { HttpProblem } from '../domain/problem.ts'
import { type FontFace, type Layers, parseSheet, type Sheet, type StyleRule } from './brand-reader-rules.ts'
import { fitsMedia } from './brand-reader-values.ts'
import type { FetchedPage, ShopPage } from './platform/adapter.ts'
import { shopPath, type ShopHosts } from './redirect-urls.ts'

export type DeclaredFace = FontFace & { source: FontSource; stylesheet: string }
/** A page of the shop with the rules of its stylesheets, in their order. */
export type ReadPage = { kind: ShopPage['kind']; url: string; $: CheerioAPI; rules: StyleRule[]; faces: DeclaredFace[] }

// A theme has a handful of stylesheets; what goes far beyond is not read.
const sheetLimit = 30, importDepth = 4, pageKinds = ['home', 'collection', 'product'] as const

/** Fetches a page or stylesheet of the shop. */
export type Fetch = (url: string) => Promise<FetchedPage>

/** The shop's home, its first collection and its first product as they are now. Throws HttpProblem without a home page: 409 for one that is closed to the public, else 502. */
export async function readPages(fetch: Fetch, hosts: ShopHosts, known: ShopPage[]): Promise<ReadPage[]> {
  const sheets = new Sheets(fetch, hosts)
  const pages: ReadPage[] = []
  for (const kind of pageKinds) {
    const path = known.find(page => page.kind === kind)?.path ?? (kind === 'home' ? '/' : null)
    const read = path && await readPage(fetch, hosts, kind, path, sheets)
    if (read) pages.push(read)
  }
  return pages
}

async function readPage(fetch: Fetch, hosts: ShopHosts, kind: ShopPage['kind'], path: string, sheets: Sheets): Promise<ReadPage | null> {
  const url = new URL(path, hosts.origin).href
  const { status, type, text } = await fetch(url)
  if (status !== 200 || !type.includes('html')) {
    if (kind === 'home') throw noHome(status)
    return null
  }
  const $ = load(text)
  const rules: StyleRule[] = [], faces: DeclaredFace[] = []
  const layers: Layers = new Map()
  for (const element of $('style, link[rel~="stylesheet"][href]').toArray()) {
    const link = $(element)
    if (!fitsMedia(link.attr('media') ?? '') || link.attr('disabled') !== undefined) continue
    const href = link.attr('href')
    const sheet = href === undefined ? await sheets.parsed(link.text(), url, layers) : await sheets.at(href, url, layers)
    rules.push(...sheet.rules)
    faces.push(...sheet.faces)
  }
  return { kind, url, $, rules, faces }
}

/** A shop with a password answers as one without a page, or leads to where the password is asked for. */
const noHome = (status: number): HttpProblem => ([401, 403].includes(status) || (status >= 300 && status < 400)
  ? new HttpProblem(409, 'The shop’s home page asks for a password, or leads elsewhere. Open it to everybody while it is read.')
  : new HttpProblem(502, 'The shop’s home page could not be read.'))

type ReadSheet = { rules: StyleRule[]; faces: DeclaredFace[] }

/** Stylesheets of one reading, each fetched once. */
class Sheets {
  readonly #texts = new Map<string, Promise<string>>()
  readonly #fetch: Fetch
  readonly #hosts: ShopHosts
  constructor(fetch: Fetch, hosts: ShopHosts) {
    this.#fetch = fetch
    this.#hosts = hosts
  }

  /** The stylesheet at an address. Of other hosts than the shop's only what the address itself tells is known. */
  async at(href: string, base: string, layers: Layers, depth = 0): Promise<ReadSheet> {
    const url = URL.parse(href, base)
    if (!url) return { rules: [], faces: [] }
    const path = shopPath(url.href, this.#hosts)
    if (path === null) return { rules: [], faces: hostedFaces(url).map(face => ({ ...face, source: 'web' as const, stylesheet: url.href })) }
    const own = new URL(path, this.#hosts.origin).href
    return this.parsed(await this.#text(own), own, layers, depth)
  }

  async parsed(css: string, url: string, layers: Layers, depth = 0): Promise<ReadSheet> {
    const { imports, ...sheet }: Sheet & { imports: string[] } = parseSheet(css, layers)
    const imported: ReadSheet[] = []
    for (const href of depth < importDepth ? imports : []) imported.push(await this.at(href, url, layers, depth + 1))
    const { origin, pathname } = new URL(url)
    return {
      rules: [...imported.flatMap(one => one.rules), ...sheet.rules],
      // Without the query: it changes with every version of the file.
      faces: [...imported.flatMap(one => one.faces), ...sheet.faces.map(face => ({ ...face, source: 'theme' as const, stylesheet: origin + pathname }))],
    }
  }

  #text(url: string): Promise<string> {
    const known = this.#texts.get(url)
    if (known || this.#texts.size >= sheetLimit) return known ?? Promise.resolve('')
    const text = this.#fetch(url).then(({ status, text }) => (status === 200 ? text : ''), () => '')
    this.#texts.set(url, text)
    return text
  }
}

/** Font faces that the address of a web font host's stylesheet names: "css2?family=Inter:ital,wght@0,400;1,700". */
function hostedFaces(url: URL): FontFace[] {
  if (!['fonts.googleapis.com', 'fonts.bunny.net', 'fonts.googleapis.cn'].includes(url.hostname)) return []
  return url.searchParams.getAll('family').flatMap(all => all.split('|')).flatMap(text => {
    const [family = '', axes = ''] = text.split(':')
    const [names = '', values] = axes.split('@')
    const face = (style: string, weight: string): FontFace => ({ family: family.replaceAll('+', ' '), style, weight })
    if (values === undefined) return (axes || '400').split(',').map(one => face(/i/.test(one) ? 'italic' : 'normal', /\d+/.exec(one)?.[0] ?? (one.startsWith('b') ? '700' : '400')))
    const order = names.split(',')
    return values.split(';').map(one => {
      const value = (axis: string) => one.split(',')[order.indexOf(axis)]
      return face(value('ital') === '1' ? 'italic' : 'normal', (value('wght') ?? '400').replace('..', ' '))
    })
  })
}
