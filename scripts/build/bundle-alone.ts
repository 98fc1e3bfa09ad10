import { build } from 'esbuild'
import { minify } from 'terser'
import { minorDigits } from '../../domain/money.ts'
import { type RuntimeSwitch, runtimeSwitches } from '../../domain/script/needed-parts.ts'
import { shopperTarget } from './browser-floor.ts'

export const placeholder = '__TWINSHELF_CONFIG__'

export const settings = {
  write: false,
  bundle: true,
  target: shopperTarget,
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
} as const

// esbuild's own minifier leaves the file 6% larger, and every shopper of every shop loads it.
export const compress = {
  ecma: 2020,
  passes: 3,
  hoist_funs: true,
  inline: 2,
  unsafe_arrows: true,
  pure_getters: true,
  keep_fargs: false,
} as const

/**
 * Replaces the switches in the source (storefront/consent.ts) with constants, so that unreachable
 * code is left out.
 */
export const defined = (on: readonly RuntimeSwitch[]): Record<string, string> =>
  Object.fromEntries(
    runtimeSwitches.map(name => [`__TWINSHELF_SWITCHES__.${name}`, String(on.includes(name))]),
  )

/** The codes of the currencies with so many decimal places, one after the other. */
function withPlaces(places: number): string {
  const all = Intl.supportedValuesOf('currency')
  const codes = all.filter(code => minorDigits(code) === places),
    joined = codes.join('')
  const wrong = all.find(code => joined.includes(code) && !codes.includes(code))
  if (wrong) throw new Error(`The codes in ${joined} also spell ${wrong}.`)
  return JSON.stringify(joined)
}
/** Constants of shopify/decimal-places.ts. */
export const decimalPlacesDefined: Record<string, string> = {
  __TWINSHELF_THREE_PLACES__: withPlaces(3),
  __TWINSHELF_NO_PLACES__: withPlaces(0),
}

/** Bundles a script that stands alone and shares nothing with the shop's script. */
export async function bundleAlone(file: string): Promise<string> {
  const { outputFiles } = await build({
    ...settings,
    entryPoints: [`${file}.ts`],
    format: 'iife',
    define: defined([]),
  })
  const { code = '' } = await minify(outputFiles[0]!.text, { ecma: 2020, toplevel: true, compress })
  return code
}

export async function bundlePreview(): Promise<string> {
  const code = await bundleAlone('storefront/preview/preview')
  if (code.split(placeholder).length !== 2)
    throw new Error(
      'The preview must have one place for its configuration, as an argument, so that an object may take it.',
    )
  return code
}
