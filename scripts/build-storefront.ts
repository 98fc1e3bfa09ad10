import { mkdirSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { minify } from 'terser'
import type { ScriptConfig } from '../domain/script-config.ts'

const placeholder = '__TWINSHELF_CONFIG__'
/** Bytes of gzip that the script may have with three tests inside (5 kB). */
const budget = 5000

/** Writes the storefront script and its preview to public/built/, where the engine finds them. Throws when the script is over its budget. */
export async function buildStorefront(): Promise<{ bytes: number; gzip: number }> {
  const { storefront, preview } = await bundleStorefront()
  mkdirSync('public/built', { recursive: true })
  writeFileSync('public/built/storefront.js', storefront)
  writeFileSync('public/built/preview.js', preview)
  const source = withConfig(storefront, threeTests)
  const size = { bytes: Buffer.byteLength(source), gzip: gzipSync(source, { level: 9 }).length }
  console.log(`storefront script with three tests: ${size.gzip} bytes gzip (${size.bytes} plain), budget ${budget}`)
  if (size.gzip > budget) throw new Error(`The storefront script is ${size.gzip - budget} bytes gzip over its budget of ${budget}.`)
  return size
}

/** Source of both scripts, each with the placeholder for a shop's configuration. */
export async function bundleStorefront(): Promise<{ storefront: string; preview: string }> {
  const [storefront, preview] = await Promise.all(['storefront/main.ts', 'storefront/preview.ts'].map(bundle))
  return { storefront: storefront!, preview: preview! }
}

export const withConfig = (source: string, config: ScriptConfig): string => source.replace(placeholder, () => JSON.stringify(config))

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry], write: false, bundle: true, format: 'iife', target: 'es2020', charset: 'utf8', legalComments: 'none', logLevel: 'warning',
  })
  // esbuild's own minifier leaves 6% more, in a file that every shopper of every shop loads.
  const { code = '' } = await minify(outputFiles[0]!.text, { ecma: 2020, toplevel: true, compress: { passes: 3, unsafe_arrows: true, pure_getters: true, keep_fargs: false } })
  if (code.split(placeholder).length !== 2) throw new Error(`${entry}: the placeholder must stand exactly once, as an argument, so that an object may take its place`)
  return code
}

/** Three tests as merchants build them: what the budget is measured with. */
export const threeTests: ScriptConfig = {
  shop: 'fern-and-kiln.demo-shop.test',
  collect: 'https://app.twinshelf.example/collect',
  preview: 'https://app.twinshelf.example/s/preview.js',
  tests: [
    {
      id: '5b0e2a52-9c4b-4f3a-8a55-6a1f0c7d9e21', weights: [0.5, 0.5], pages: ['/products/*'],
      changes: [
        { selector: '.product-form__submit', kind: 'text', name: '', value: 'Add to basket – ships tomorrow' },
        { selector: '.product-form__submit', kind: 'style', name: 'background-color', value: '#7a4a2b' },
        { selector: '.product__info .price', kind: 'insertAfter', name: '', value: '<p class="product-form__note">Free returns within 30 days. Made by hand in small batches.</p>' },
      ],
    },
    { id: 'c7f3a9d4-21b8-4f7e-9d60-0b7c1de2f8aa', weights: [0.5, 0.5], pages: ['/pages/gift-guide'], to: '/pages/gift-guide-2026' },
    {
      id: 'e19d4c30-77aa-4b0c-b6f2-3d5a8e90c417', weights: [0.8, 0.2], pages: ['/', '/collections/*'],
      changes: [
        { selector: '.hero h1', kind: 'text', name: '', value: 'Pottery for every day' },
        { selector: '.hero img', kind: 'image', name: '', value: '/cdn/products/ash-mug-2.svg' },
        { selector: '.announcement', kind: 'hide', name: '', value: '' },
      ],
    },
  ],
}
