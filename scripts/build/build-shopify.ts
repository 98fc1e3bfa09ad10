import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { bundleAlone, decimalPlacesDefined, settings } from './bundle-alone.ts'
import { embedFiles, sizesOf } from './build-embed.ts'
import type { ScriptPieces } from './build-storefront.ts'

const to = 'public/built/shopify/extensions'

/** Our functions: the handle of the extension, the file, and the name of its export. */
export const functions = [
  {
    handle: 'twinshelf-cart-transform',
    file: 'shopify/functions/cart-transform',
    name: 'cartTransformRun',
  },
  {
    handle: 'twinshelf-discount',
    file: 'shopify/functions/discount',
    name: 'cartLinesDiscountsGenerateRun',
  },
] as const

/** Bytes that all files together may have on one page, compressed. Shopify's limit for apps. */
const budget = 10_000

/**
 * Writes what Shopify delivers and runs for us to public/built/shopify/extensions/: each function
 * and the pixel as <handle>.js, and the theme extension as a folder. Prints the sizes. Throws when
 * the script's files are over their budget.
 */
export async function buildShopify(pieces: ScriptPieces): Promise<void> {
  const files = await embedFiles(pieces)
  rmSync(to, { recursive: true, force: true })
  cpSync('shopify/extensions', to, { recursive: true })
  const assets = `${to}/twinshelf-embed/assets`
  mkdirSync(assets, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(`${assets}/${name}`, text)
  for (const { handle, file, name } of functions)
    writeFileSync(`${to}/${handle}.js`, await bundleFunction(file, name))
  writeFileSync(`${to}/twinshelf-pixel.js`, await bundlePixel())
  const size = (...names: string[]) => sizesOf(names.map(name => files[name]!))
  const usual = size('usual.js'),
    most = size('all.js')
  console.log(
    `files of the Shopify extension, usual tests: ${usual.brotli} bytes brotli (${usual.gzip} gzip); with everything: ${most.brotli} (${most.gzip} gzip); prices alone: ${size('core.js', 'prices.js').brotli}; after paint: ${size('page-apis-speed.js').brotli} at most; budget ${budget}`,
  )
  // Browsers get brotli; Shopify's own check of themes counts gzip.
  if (most.gzip >= budget)
    throw new Error(
      `The files of the Shopify extension are ${most.gzip - budget + 1} bytes gzip too large.`,
    )
}

/** A function as a script that puts it on `globalThis.run`. */
export async function bundleFunction(file: string, name: string): Promise<string> {
  const { outputFiles } = await build({
    ...settings,
    stdin: {
      contents: `import { ${name} } from './${file}.ts'\nglobalThis.run = ${name}`,
      resolveDir: '.',
    },
    format: 'iife',
    minify: true,
    define: decimalPlacesDefined,
  })
  return outputFiles[0]!.text
}

/** The pixel, registered as the platform's own package does it. */
const bundlePixel = async (): Promise<string> =>
  `let register=start=>shopify.extend("WebPixel::Render",start);${await bundleAlone('storefront/pixel/pixel')}`
