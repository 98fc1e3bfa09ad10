import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { basename } from 'node:path'
import { build } from 'esbuild'
import { minify } from 'terser'
import { appTargets } from './browser-floor.ts'
import { guide } from '../guide.ts'
import { stylesheet } from './stylesheet.ts'

const outdir = 'public/built/app'

/**
 * Writes the stylesheets, scripts and icons to public/built/app/. File names contain a hash of the
 * content. Also writes brotli and gzip versions of each, the merchants' guide, and the manifest
 * with the file names.
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
  for (const [entry, scripts] of Object.entries(await bundledScripts())) {
    for (const [file, content] of scripts) files.set(file, content)
    manifest[entry] = [...scripts.keys()][0]!
  }
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
  writeFileSync(`${outdir}/manifest.json`, JSON.stringify(manifest))
}

/**
 * Bundles the entry scripts, each with its chunks, the entry first. A page without islands loads no
 * React.
 */
async function bundledScripts(): Promise<Record<string, Map<string, Uint8Array>>> {
  const entries = { 'page.js': 'islands/page.ts', 'islands.js': 'islands/boot.ts' }
  const made: Record<string, Map<string, Uint8Array>> = {}
  for (const [name, entry] of Object.entries(entries)) {
    const { outputFiles, metafile } = await build({
      entryPoints: { [name.replace('.js', '')]: entry },
      outdir,
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      write: false,
      metafile: true,
      bundle: true,
      splitting: true,
      format: 'esm',
      minify: true,
      target: appTargets,
      legalComments: 'none',
      logLevel: 'warning',
      define: { 'process.env.NODE_ENV': '"production"' },
    })
    const isEntry = (path: string) =>
      Object.entries(metafile.outputs).some(
        ([output, { entryPoint }]) => entryPoint === entry && basename(output) === basename(path),
      )
    const sorted = outputFiles.toSorted((a, b) => Number(isEntry(b.path)) - Number(isEntry(a.path)))
    made[name] = new Map(
      await Promise.all(
        sorted.map(
          async file =>
            [
              basename(file.path),
              name === 'page.js' ? await squeezed(file.text) : file.contents,
            ] as const,
        ),
      ),
    )
  }
  return made
}

/** Minifies the script of every page with terser: esbuild's own minifier leaves it 3% larger. */
async function squeezed(script: string): Promise<Uint8Array> {
  const { code = '' } = await minify(script, { module: true, ecma: 2020, compress: { passes: 2 } })
  return Buffer.from(code)
}

if (import.meta.main) await buildApp()
