import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type ScriptPart, scriptParts } from '../../domain/script/script-part.ts'
import { nameOfRuntime, switchChoices, waiting } from '../../domain/script/needed-parts.ts'
import { bundleAlone } from './bundle-alone.ts'
import { bundleExpression, type BundledPart, bundlePart } from './bundle-parts.ts'
import { partFiles, type ScriptPieces } from './build-storefront.ts'

/**
 * Only a price test needs the first, only an audience with a channel the second, and the third
 * writes to the console of a store that we look into.
 */
const apart: ScriptPart[] = ['prices', 'channel', 'log']
/**
 * The files that a page can load for platforms that deliver our files themselves: one of these
 * runtimes, each with some of the parts in it because one file compresses better than several, and
 * the parts that are files of their own, which run before it. The extension's Liquid chooses. The
 * largest one gets the measuring of page speed after the paint.
 */
const held: Record<string, ScriptPart[]> = {
  core: ['speed'],
  usual: ['speed', 'elements', 'redirect', 'pages', 'always'],
  most: scriptParts.filter(part => !apart.includes(part)),
  all: scriptParts.filter(part => part !== 'log' && part !== 'speed'),
}
/** Where these files have another source of a part than the script of one shop. */
const ownFiles: Partial<typeof partFiles> = {
  elements: ['storefront/embed/make-changes', 'makeChanges'],
  prices: ['shopify/embed/market-facts', 'showMarketPrices'],
}

/** File names and their contents. */
export async function embedFiles({
  runtimes,
  parts: all,
  nameCache,
}: ScriptPieces): Promise<Record<string, string>> {
  // A copy of the cache: what is bundled here must not change the names of the script.
  const names = () => structuredClone(nameCache)
  const parts: Record<ScriptPart, BundledPart> = {
    ...all,
    prices: await bundlePart(...ownFiles.prices!, names()),
  }
  const pageApis = await bundleAlone('shopify/embed/page-apis')
  const files: Record<string, string> = {
    'page-apis.js': pageApis,
    'page-apis-speed.js': `${pageApis}self.${nameOf('speed')}=(${parts.speed.code})()`,
  }
  for (const name of apart)
    files[`${name}.js`] =
      `self.${nameOf(name)}=({${parts[name].uses.join()}})=>${oneSpace(parts[name].code)}`
  for (const [file, inside] of Object.entries(held)) {
    const others = apart.filter(name => !inside.includes(name))
    const uses = [...new Set(others.flatMap(name => parts[name].uses))]
    // `$`: the configuration, `_`: what parts of other files may call.
    const place = (name: ScriptPart): string => {
      const [path, exported] = ownFiles[name] ?? partFiles[name]
      if (inside.includes(name)) return `export { ${exported} as ${name} } from './${path}.ts'`
      return `export const ${name} = ${
        others.includes(name)
          ? `self.${nameOf(name)}?.(_)`
          : name === 'speed'
            ? `() => () => self.${nameOf(name)}?.()`
            : 'undefined'
      }`
    }
    const { code } = await bundleExpression(
      "import { assemble } from './storefront/embed/assemble.ts'",
      'assemble($)',
      names(),
      scriptParts.map(place).join('\n'),
    )
    const joined = `(_=>${oneSpace(code)})({${uses.join()}})`
    // Pages with a privacy API load a file with the part for it, so only such files wait.
    for (const on of switchChoices)
      files[`${[file, ...on].join('-')}.js`] = runtimes[
        nameOfRuntime(inside.includes('pageApis') ? waiting(on) : on)
      ]!.replace('(()=>{', () => '($=>{')
        .replace('__TWINSHELF_PARTS__', () => joined)
        .replace(
          '__TWINSHELF_CONFIG__',
          () => '$=JSON.parse(document.getElementById("twinshelf-tests").textContent)',
        )
  }
  return files
}

/** Lists of sites are split at white space of any kind, of which one space is the shortest. */
const oneSpace = (code: string): string => code.replace(/\\n +/g, ' ')

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
