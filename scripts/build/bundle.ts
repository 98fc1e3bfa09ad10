import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'

/** Programs that production runs, by the name of their file in dist/. */
const programs = {
  main: 'server/main.ts',
  engine: 'engine/main.ts',
  'demo-shop': 'demo-shop/main.ts',
  'theme-process': 'demo-shop/themes/theme-process.ts',
  backup: 'scripts/backup.ts',
  restore: 'scripts/restore.ts',
  staff: 'scripts/staff.ts',
  import: 'scripts/import.ts',
  launcher: 'scripts/launcher.ts',
}

/** Bundles the programs into dist/. Only our own code is bundled; packages stay imports. */
export async function bundlePrograms(): Promise<void> {
  rmSync('dist', { recursive: true, force: true })
  const missing = Object.values(programs).filter(path => !existsSync(path))
  if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`)
  await build({
    entryPoints: programs,
    outdir: 'dist',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: 'node24',
    format: 'esm',
    sourcemap: 'linked',
    logLevel: 'warning',
    plugins: [sourcePlaces],
  })
}

/**
 * Files use `import.meta.url` to find files beside them (themes, migrations, public/). In dist/ it
 * must still mean the place of the source file.
 */
const sourcePlaces: Plugin = {
  name: 'source places',
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!source.includes('import.meta.')) return undefined
      const where = relative(process.cwd(), path)
      if (/import\.meta\.(dirname|filename)/.test(source))
        return { errors: [{ text: `${where}: use import.meta.url, which survives bundling` }] }
      const place = `new URL(${JSON.stringify(relative('dist', path))}, import.meta.url).href`
      return {
        contents: source.replaceAll('import.meta.url', place),
        loader: path.endsWith('x') ? 'tsx' : 'ts',
        resolveDir: dirname(path),
      }
    })
  },
}
