import { mkdirSync, writeFileSync } from 'node:fs'
import { nameOfRuntime, runtimeChoices } from '../../domain/script/needed-parts.ts'
import {
  changeKinds,
  type ChangeKind,
  type ScriptConfig,
} from '../../domain/script/script-config.ts'
import type { ScriptPart } from '../../domain/script/script-part.ts'
import { memberNames, type ScriptSources } from '../../engine/script/compose.ts'
import { bundleAlone, bundlePreview, placeholder } from './bundle-alone.ts'
import { type BundledPart, bundlePart, bundleRuntime, type NameCache } from './bundle-parts.ts'
import { maxSizes, maxUsualGzip, scriptSizes, type ScriptSize } from './script-sizes.ts'

/**
 * Writes the sources of the storefront script and its preview to public/built/, where the engine
 * finds them. Prints the sizes. Throws when one of them is over its limit.
 */
export async function buildStorefront(): Promise<ScriptPieces> {
  const { sources, preview, pieces } = await bundleStorefront()
  mkdirSync('public/built', { recursive: true })
  writeFileSync('public/built/storefront.json', JSON.stringify(sources))
  writeFileSync('public/built/preview.js', preview)
  const sizes = scriptSizes(sources)
  const said = ({ brotli, gzip }: ScriptSize) => `${brotli} bytes brotli (${gzip} gzip)`
  console.log(
    `storefront script with three tests: ${said(sizes.usual)}; the largest three (${sizes.largest.names}): ${said(sizes.largest)}; none: ${said(sizes.none)}; after paint: ${said(sizes.afterPaint)}`,
  )
  for (const [name, most] of Object.entries(maxSizes) as [keyof typeof maxSizes, number][])
    if (sizes[name].brotli > most)
      throw new Error(
        `The storefront script (${sizes[name].names}) is ${sizes[name].brotli - most} bytes over its limit of ${most}.`,
      )
  if (sizes.usual.gzip > maxUsualGzip)
    throw new Error(
      `The storefront script is ${sizes.usual.gzip - maxUsualGzip} bytes gzip over its limit of ${maxUsualGzip}.`,
    )
  return pieces
}

/** The source of each part of the script: the file, and the name of its export. */
export const partFiles: Record<ScriptPart, [file: string, name: string]> = {
  elements: ['storefront/changes', 'applyChanges'],
  pages: ['storefront/own-pages', 'changesHere'],
  always: ['storefront/own-pages', 'showToAll'],
  prices: ['storefront/prices', 'showPrices'],
  redirect: ['storefront/travel', 'redirectPlace'],
  view: ['storefront/travel', 'viewPlace'],
  restore: ['storefront/travel', 'restorePlace'],
  leave: ['storefront/leave', 'leaveTheme'],
  entry: ['storefront/entry', 'entryRule'],
  audience: ['storefront/entry', 'audienceRule'],
  channel: ['storefront/channel', 'channelName'],
  api: ['storefront/api', 'answerShop'],
  manual: ['storefront/api', 'manualPlace'],
  speed: ['storefront/speed', 'watchSpeed'],
  log: ['storefront/log', 'logVisit'],
  pageApis: ['storefront/page-apis/load-part', 'loadPart'],
  sent: ['storefront/sent', 'sendOn'],
}

/**
 * Kinds of changes whose export has another name, because the kind is a word of the language or of
 * the runtime.
 */
const actNames: Partial<Record<ChangeKind, string>> = {
  class: 'classes',
  hide: 'hidden',
  remove: 'removed',
}

/** The script's sources with what is needed to join them in another way (build-embed.ts). */
export type ScriptPieces = {
  runtimes: Record<string, string>
  parts: Record<ScriptPart, BundledPart>
  acts: Record<ChangeKind, BundledPart>
  nameCache: NameCache
}

/**
 * Bundles the script's sources, and the preview script with a placeholder for its configuration.
 */
export async function bundleStorefront(): Promise<{
  sources: ScriptSources
  preview: string
  pieces: ScriptPieces
}> {
  const names = Object.keys(partFiles) as ScriptPart[]
  const nameCache: NameCache = {
    props: {
      props: Object.fromEntries(
        Object.entries(memberNames).map(([name, short]) => [`$${name}`, short]),
      ),
    },
  }
  // One after the other: the order of minifying decides the names in the cache, and with them the
  // sizes.
  const preview = await bundlePreview(),
    usual = await bundleRuntime(nameCache)
  const parts: Partial<Record<ScriptPart, BundledPart>> = {}
  for (const name of names) parts[name] = await bundlePart(...partFiles[name], nameCache)
  const acts: Partial<Record<ChangeKind, BundledPart>> = {}
  for (const kind of changeKinds)
    acts[kind] = await bundlePart('storefront/change-acts', actNames[kind] ?? kind, nameCache)
  const runtimes = { [nameOfRuntime([])]: usual }
  for (const on of runtimeChoices.filter(on => on.length > 0))
    // A copy of the cache: parts must not call names that only this runtime has.
    runtimes[nameOfRuntime(on)] = await bundleRuntime(structuredClone(nameCache), on)
  const pieces = { runtimes, parts, acts, nameCache } as ScriptPieces
  return {
    sources: {
      runtimes,
      parts: codeOf(pieces.parts),
      acts: codeOf(pieces.acts),
      pixel: await bundleAlone('storefront/pixel/pixel'),
      pageApisPart: await bundleAlone('storefront/page-apis/part'),
    },
    preview,
    pieces,
  }
}

const codeOf = <Name extends string>(parts: Record<Name, BundledPart>): Record<Name, string> =>
  Object.fromEntries(
    (Object.entries(parts) as [Name, BundledPart][]).map(([name, { code }]) => [name, code]),
  ) as Record<Name, string>

export const withConfig = (source: string, config: ScriptConfig): string =>
  source.replace(placeholder, () => JSON.stringify(config))
