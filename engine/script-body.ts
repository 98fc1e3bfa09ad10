import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Selectable } from 'kysely'
import type { ScriptConfig, ScriptTest } from '../domain/script-config.ts'
import type { DraftsTable, TestsTable } from './db/schema.ts'

const placeholder = '__TWINSHELF_CONFIG__'
const builtRuntime = new URL('../public/built/storefront.js', import.meta.url)
/** The preview's own runtime: it shows the bar and records nothing, which shoppers need not load. */
export const previewRuntime = new URL('../public/built/preview.js', import.meta.url)

/** The storefront runtime as the build left it, and its hash: another hash means every shop's script is out of date. */
export async function readRuntime(file: URL = builtRuntime): Promise<{ text: string; hash: string }> {
  const text = await readFile(file, 'utf8')
  if (!text.includes(placeholder)) throw new Error(`${file.pathname} has no place for the configuration.`)
  return { text, hash: createHash('sha256').update(text).digest('base64url') }
}

/** Runtime and configuration in one file. The JSON stays harmless where the file is pasted into a page. */
export function scriptBody(runtime: string, config: ScriptConfig): Buffer {
  const json = JSON.stringify(config).replace(/[<\u2028\u2029]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return Buffer.from(runtime.replaceAll(placeholder, () => json))
}

const zip = promisify(gzip), squeeze = promisify(brotliCompress)
export type PackedScript = { body: Buffer; gzip: Buffer; brotli: Buffer; etag: string }

export async function packScript(body: Buffer): Promise<PackedScript> {
  const [gzipped, brotli] = await Promise.all([zip(body, { level: 9 }), squeeze(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })])
  return { body, gzip: gzipped, brotli, etag: createHash('sha256').update(body).digest('base64url').slice(0, 27) }
}

type Scripted = Pick<Selectable<TestsTable>, 'kind' | 'weights' | 'pages' | 'dom_selectors' | 'redirect_url'>
/** What the script is told of a test: nothing a shopper could not see anyway; no titles, no hypothesis. */
export function scriptTest(id: string, { kind, weights, pages, dom_selectors, redirect_url }: Scripted): ScriptTest {
  if (kind === 'UrlRedirect') return { id, weights, pages, to: redirect_url }
  const changes = dom_selectors.flatMap(s => s.actions).map(({ selector, kind, value, name }) => ({ selector, kind, value, name }))
  return { id, weights, pages, changes }
}

/** What a store's feature flags change in its script. */
export const scriptSwitches = (flags: readonly string[]): Pick<ScriptConfig, 'debug' | 'keepsReferrer'> =>
  ({ ...(flags.includes('DebugScriptLogging') && { debug: true }), ...(flags.includes('DisableReferrerOverride') && { keepsReferrer: true }) })

/** Pages that a draft or test names, each once. */
export const testedPages = ({ kind, control_url, dom_selectors }: Pick<Selectable<DraftsTable>, 'kind' | 'control_url' | 'dom_selectors'>): string[] =>
  kind === 'UrlRedirect' ? [control_url.trim()].filter(Boolean) : [...new Set(dom_selectors.flatMap(s => s.urlPatterns).map(p => p.trim()).filter(Boolean))]
