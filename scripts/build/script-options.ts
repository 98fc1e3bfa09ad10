import type { BuildOptions } from 'esbuild'
import { appTargets } from './browser-floor.ts'

/** How all scripts of the app's pages are built. */
export const scriptOptions = {
  outdir: 'public/built/app',
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
} as const satisfies BuildOptions
