import { brotliCompressSync, gzipSync } from 'node:zlib'
import { composeScript, type ScriptSources } from '../../engine/script/compose.ts'
import { addresses, sampleTests, threes, threeTests } from './storefront-samples.ts'

export type ScriptSize = { names: string; bytes: number; gzip: number; brotli: number }

/** What a page fetches before its arm is applied, and what it fetches after the paint, in bytes. */
export type ScriptSizes = {
  /** With three typical tests of merchants. */
  usual: ScriptSize
  /** The largest script with one each of three kinds of test. */
  largest: ScriptSize
  none: ScriptSize
  /** All files that any shop loads after the paint, together. */
  afterPaint: ScriptSize
}

/**
 * Maximum sizes in bytes, as browsers get the files (brotli). They cover the files that a page
 * fetches before its arm is applied, and together those that it fetches after the paint.
 */
export const maxSizes = { usual: 5000, largest: 6500, afterPaint: 3000 } as const
/** The same for three typical tests where a shop's host compresses with gzip only. */
export const maxUsualGzip = 5000

export function scriptSizes(sources: ScriptSources): ScriptSizes {
  const all = threes(sampleTests).map(tests =>
    sizeOf(
      composeScript(sources, { ...addresses, tests: tests.map(({ test }) => test) }),
      tests.map(({ name }) => name).join(', '),
    ),
  )
  return {
    usual: sizeOf(composeScript(sources, threeTests), 'three usual tests'),
    largest: all.reduce((most, size) => (size.brotli > most.brotli ? size : most)),
    none: sizeOf(composeScript(sources, { ...addresses, tests: [] }), 'no test'),
    afterPaint: sizeOf(sources.pageApisPart ?? '', 'the shop’s own APIs'),
  }
}

const sizeOf = (source: string, names: string): ScriptSize => ({
  names,
  bytes: Buffer.byteLength(source),
  gzip: gzipSync(source, { level: 9 }).length,
  brotli: brotliCompressSync(source).length,
})
