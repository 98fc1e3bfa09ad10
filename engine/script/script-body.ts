import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Selectable } from 'kysely'
import { pageGroups, patternsOf } from '../../domain/drafts/dom-selector.ts'
import { pageTemplate } from '../../domain/events/page-facts.ts'
import { nameOfRuntime, runtimeChoices } from '../../domain/script/needed-parts.ts'
import type {
  ScriptAudience,
  ScriptChange,
  ScriptConfig,
  ScriptTest,
} from '../../domain/script/script-config.ts'
import { actionProblems } from '../drafts/change-problems.ts'
import { markupReader } from '../drafts/markup.ts'
import { composeScript, haveConfigPlace, type ScriptSources } from './compose.ts'
import type { StoredTarget } from '../db/lifecycle-schema.ts'
import type { DraftsTable, TestsTable } from '../db/schema.ts'
import type { InLayer } from '../tests/exclusion.ts'

const builtRuntime = new URL('../../public/built/storefront.json', import.meta.url)
/**
 * The runtime of previews: it shows the preview bar, which shoppers need not load, and records
 * nothing.
 */
export const previewRuntime = new URL('../../public/built/preview.js', import.meta.url)

/**
 * Reads the storefront script that the build made, and its hash. A JSON file has its parts
 * separately; any other file is one script for all settings of a store. Another hash means that
 * every shop's script is out of date. Throws if a runtime has no place for the configuration.
 */
export async function readRuntime(
  file: URL = builtRuntime,
): Promise<{ sources: ScriptSources; hash: string }> {
  const text = await readFile(file, 'utf8')
  const sources = file.pathname.endsWith('.json')
    ? (JSON.parse(text) as ScriptSources)
    : ({
        runtimes: Object.fromEntries(runtimeChoices.map(on => [nameOfRuntime(on), text])),
        parts: {},
        acts: {},
      } as ScriptSources)
  if (!haveConfigPlace(sources))
    throw new Error(`${file.pathname} has no place for the configuration.`)
  return { sources, hash: createHash('sha256').update(text).digest('base64url') }
}

/** Puts the runtime, the parts that these tests need, and the configuration into one file. */
export const scriptBody = (sources: ScriptSources, config: ScriptConfig): Buffer =>
  Buffer.from(composeScript(sources, config))

const zip = promisify(gzip),
  squeeze = promisify(brotliCompress)
export type PackedScript = { body: Buffer; gzip: Buffer; brotli: Buffer; etag: string }

export async function packScript(body: Buffer): Promise<PackedScript> {
  const [gzipped, brotli] = await Promise.all([
    zip(body, { level: 9 }),
    squeeze(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  ])
  return {
    body,
    gzip: gzipped,
    brotli,
    etag: etagOf(body),
  }
}

/** The beginning of a script's hash, which names it to browsers and to the shop. */
export const etagOf = (body: Buffer): string =>
  createHash('sha256').update(body).digest('base64url').slice(0, 27)

type Scripted = Pick<
  Selectable<TestsTable>,
  | 'kind'
  | 'weights'
  | 'pages'
  | 'dom_selectors'
  | 'redirect_url'
  | 'control_target'
  | 'variant_target'
  | 'resource_ids'
  | 'api_mode'
  | 'control_hypothesis_id'
  | 'variant_hypothesis_id'
>
/** What a test's configuration needs besides the test's row. */
export type ScriptedWith = {
  audiences?: ScriptAudience[] | undefined
  prices?: ScriptTest['prices']
  inLayer?: InLayer | undefined
}

/**
 * A test's configuration in the script. It holds only what shoppers could see anyway: no titles, no
 * hypothesis.
 */
export function scriptTest(
  id: string,
  test: Scripted,
  { audiences, prices, inLayer }: ScriptedWith = {},
): ScriptTest {
  const { weights, pages } = test
  const taking = { ...(audiences?.length && { audiences }), ...inLayer }
  const own = { id, weights, pages, ...taking }
  const { control_target: control, variant_target: variant } = test
  switch (test.kind) {
    case 'UrlRedirect':
      return { ...own, to: test.redirect_url }
    case 'PageElement':
      return { ...own, changes: scriptChanges(test) }
    case 'Theme':
      return {
        ...own,
        pages: [],
        ...(control && variant && { theme: [control.themeId!, variant.themeId!] }),
      }
    case 'Template':
    case 'PageContent': {
      const only = test.resource_ids.length > 0 ? { only: test.resource_ids } : {}
      return {
        ...own,
        pages: [],
        ...only,
        ...(control && variant && { view: [nameOf(control), nameOf(variant)] }),
      }
    }
    case 'Api':
      return {
        ...own,
        pages: ['*'],
        api: [test.control_hypothesis_id, test.variant_hypothesis_id],
        ...(test.api_mode === 'manual' && { isManual: true }),
      }
    case 'Price':
      return { ...own, pages: ['*'], prices: prices ?? {} }
  }
}

/**
 * The changes of a test as the script makes them. If they are not all made on the same pages
 * (`isApart`), each names its pages, as the launch has read them from the patterns.
 */
export function scriptChanges(
  { dom_selectors, pages }: Pick<Scripted, 'dom_selectors' | 'pages'>,
  isApart = pageGroups(dom_selectors).length > 1,
): ScriptChange[] {
  const read = new Map(
    patternsOf(dom_selectors).map((written, i) => [written, pages[i] ?? written]),
  )
  const readMarkup = markupReader()
  return pageGroups(dom_selectors).flatMap(({ urlPatterns, actions }) => {
    const named =
      urlPatterns.length > 0 ? urlPatterns.map(pattern => read.get(pattern) ?? pattern) : pages
    // Checks the actions again, so that a change which was stored under older rules does not run.
    return actions
      .filter(action => actionProblems(action, readMarkup).length === 0)
      .map(({ selector, kind, value, name }) => ({
        selector,
        kind,
        value,
        name,
        ...(isApart && { pages: named }),
      }))
  })
}

const nameOf = ({ templateType, suffix }: StoredTarget): string =>
  pageTemplate(templateType!, suffix ?? '')

/** The settings of the script that a store's feature flags switch on. */
export const scriptSwitches = (
  flags: readonly string[],
): Pick<ScriptConfig, 'debug' | 'keepsReferrer' | 'ignoresView' | 'isSparing'> => ({
  ...(flags.includes('DebugScriptLogging') && { debug: true }),
  ...(flags.includes('DisableReferrerOverride') && { keepsReferrer: true }),
  ...(flags.includes('IgnoreTestViewParameterEnforce') && { ignoresView: true }),
  ...(flags.includes('SkipOptionalScopes') && { isSparing: true }),
})

/** Pages that a draft or test names, each once. */
export const testedPages = ({
  kind,
  control_url,
  dom_selectors,
}: Pick<Selectable<DraftsTable>, 'kind' | 'control_url' | 'dom_selectors'>): string[] =>
  kind === 'UrlRedirect' ? [control_url.trim()].filter(Boolean) : patternsOf(dom_selectors)
