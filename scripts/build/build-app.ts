import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { basename } from 'node:path'
import { build } from 'esbuild'
import { minify } from 'terser'
import { guide } from '../guide.ts'
import { bundledIslands } from './build-islands.ts'
import { onlyNeededHtmx } from './htmx.ts'
import { scriptOptions } from './script-options.ts'
import { stylesheet } from './stylesheet.ts'

const { outdir } = scriptOptions

/**
 * Writes the stylesheets, scripts and icons to public/built/app/. File names contain a hash of the
 * content. Also writes brotli and gzip versions of each, the merchants' guide, the manifest with
 * the file names, and the files that each island needs.
 */
export async function buildApp(): Promise<void> {
  rmSync(outdir, { recursive: true, force: true })
  mkdirSync(outdir, { recursive: true })
  const manifest: Record<string, string> = {}
  const files = new Map<string, Uint8Array>()
  const add = (name: string, content: Uint8Array) => {
    const [stem, extension] = name.split('.') as [string, string]
    const file = `${stem}-${createHash('sha256').update(content).digest('base64url').slice(0, 10)}.${extension}`
    manifest[name] = file
    files.set(file, content)
  }
  add('app.css', await stylesheet())
  for (const sheet of globSync('public/sheets/*.css')) {
    const css = await stylesheet(sheet)
    // A sheet without rules still contains the line that orders the layers.
    if (Buffer.from(css).includes('{')) add(basename(sheet), css)
  }
  add('logo.svg', readFileSync('public/icons/logo.svg'))
  const page = await bundledPage('page', 'islands/page.ts'),
    // Only a browser that keeps no cookie loads this one (decision 075). It shares no file with the
    // page's script, so that this stays one file.
    bounce = await bundledPage('bounce', 'islands/embedding/bounce.ts'),
    // Only pages in Shopify's admin load this one.
    bridge = await bundledPage('app-bridge', 'shopify/admin/admin-link.ts'),
    islands = await bundledIslands()
  for (const [file, content] of [...page, ...bounce, ...bridge, ...islands.files])
    files.set(file, content)
  manifest['page.js'] = [...page.keys()][0]!
  manifest['bounce.js'] = [...bounce.keys()][0]!
  manifest['app-bridge.js'] = [...bridge.keys()][0]!
  manifest['islands.js'] = islands.boot
  for (const [file, content] of files) {
    writeFileSync(`${outdir}/${file}`, content)
    writeFileSync(`${outdir}/${file}.gz`, gzipSync(content, { level: 9 }))
    writeFileSync(
      `${outdir}/${file}.br`,
      brotliCompressSync(content, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 11,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        },
      }),
    )
  }
  writeFileSync(`${outdir}/guide.json`, JSON.stringify(guide()))
  writeFileSync(`${outdir}/islands.json`, JSON.stringify(islands.needs))
  writeFileSync(`${outdir}/manifest.json`, JSON.stringify(manifest))
}

/** Bundles a script that pages load: it and its chunks, the entry first. */
async function bundledPage(name: string, entry: string): Promise<Map<string, Uint8Array>> {
  const { outputFiles, metafile } = await build({
    ...scriptOptions,
    entryPoints: { [name]: entry },
    plugins: [onlyNeededHtmx],
  })
  const isEntry = (path: string) =>
    Object.entries(metafile.outputs).some(
      ([output, { entryPoint }]) => entryPoint === entry && basename(output) === basename(path),
    )
  const sorted = outputFiles.toSorted((a, b) => Number(isEntry(b.path)) - Number(isEntry(a.path)))
  return new Map(
    await Promise.all(
      sorted.map(async file => [basename(file.path), await squeezed(file.text)] as const),
    ),
  )
}

/** Minifies the script of every page with terser: esbuild's own minifier leaves it 3% larger. */
async function squeezed(script: string): Promise<Uint8Array> {
  const { code = '' } = await minify(script, { module: true, ecma: 2020, compress: { passes: 2 } })
  return Buffer.from(code)
}

if (import.meta.main) await buildApp()
