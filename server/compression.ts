import { constants } from 'node:zlib'

/**
 * How pages are compressed: zstd at its usual level for browsers that take it (all but Safari), which costs a sixth of
 * brotli and is a tenth larger; brotli at a quality that costs half of the next one for the others. At once and not
 * by a stream of its own for each answer, which costs more than the compressing: pages are far below a megabyte.
 */
export const compression = {
  encodings: ['zstd' as const, 'br' as const, 'gzip' as const],
  syncThreshold: 1024 * 1024,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
}
