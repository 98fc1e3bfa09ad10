import { brotliCompressSync, gzipSync } from 'node:zlib'
import { changeKinds } from '../../domain/script/script-config.ts'
import { type ScriptPart, scriptParts } from '../../domain/script/script-part.ts'
import { bundleAlone } from './bundle-alone.ts'
import { type BundledPart, bundlePart } from './bundle-parts.ts'
import type { ScriptPieces } from './build-storefront.ts'

/**
 * Only a price test needs the first, only an audience with a channel the second, and the third
 * writes to the console of a store that we look into.
 */
const apart: ScriptPart[] = ['prices', 'channel', 'log']
/**
 * The files that a page can load for platforms that deliver our files themselves: one of these
 * runtimes, each with some of the parts in it because one file compresses better than several, and
 * the parts that are files of their own, which run before it. The extension's Liquid chooses.
 */
const held: Record<string, ScriptPart[]> = {
  core: ['speed'],
  usual: ['speed', 'elements', 'redirect', 'pages', 'always'],
  most: scriptParts.filter(part => !apart.includes(part)),
  all: scriptParts.filter(part => part !== 'log'),
}

/** File names and their contents. */
export async function embedFiles({
  runtimes,
  parts: all,
  acts,
  nameCache,
}: ScriptPieces): Promise<Record<string, string>> {
  // A copy of the cache: what is bundled here must not change the names of the script.
  const names = structuredClone(nameCache)
  const assemble = await bundlePart('storefront/embed/assemble', 'assemble', names)
  const usedActs = changeKinds.map(kind => acts[kind])
  const parts: Record<ScriptPart, BundledPart> = {
    ...all,
    elements: {
      code: `((...$a)=>(${all.elements.code})({${changeKinds.map(kind => `${kind}:${acts[kind].code}`).join()}},...$a))`,
      uses: [...all.elements.uses, ...usedActs.flatMap(({ uses }) => uses)],
    },
    // Its lists of sites are split at white space of any kind, of which one space is the shortest.
    channel: { ...all.channel, code: all.channel.code.replace(/\\n +/g, ' ') },
    prices: await bundlePart('shopify/embed/market-facts', 'showMarketPrices', names),
  }
  const files: Record<string, string> = {
    'page-apis.js': await bundleAlone('shopify/embed/page-apis'),
  }
  for (const name of apart)
    files[`${name}.js`] =
      `self.${nameOf(name)}=({${[...new Set(parts[name].uses)].join()}})=>${parts[name].code}`
  for (const [file, inside] of Object.entries(held)) {
    const uses = [...new Set(apart.flatMap(name => parts[name].uses))]
    // `$`: the configuration, `_`: what parts may call, `$e`: the page, where parts are.
    const place = (name: ScriptPart): string =>
      inside.includes(name)
        ? parts[name].code
        : apart.includes(name)
          ? `$e.${nameOf(name)}?.(_)`
          : ''
    const found = scriptParts.map(place).join()
    const joined = `((_,$e)=>(${assemble.code})([${found}],$))({${uses.join()}},self)`
    for (const [runtime, text] of Object.entries(runtimes))
      files[`${file}${runtime && `-${runtime.replaceAll('+', '-')}`}.js`] = text
        .replace('(()=>{', () => '($=>{')
        .replace('__TWINSHELF_PARTS__', () => joined)
        .replace(
          '__TWINSHELF_CONFIG__',
          () => '$=JSON.parse(document.getElementById("twinshelf-tests").textContent)',
        )
  }
  return files
}

const nameOf = (part: ScriptPart): string => `_ts${scriptParts.indexOf(part)}`

/** Sizes in bytes of these files together, as a browser loads them. */
export const sizesOf = (texts: readonly string[]): { brotli: number; gzip: number } =>
  texts.reduce(
    ({ brotli, gzip }, text) => ({
      brotli: brotli + brotliCompressSync(text).length,
      gzip: gzip + gzipSync(text, { level: 9 }).length,
    }),
    { brotli: 0, gzip: 0 },
  )
