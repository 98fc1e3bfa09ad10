/** A browser's first version that has something; null: none has it yet. */
export type Since = { chrome: number | null; firefox: number | null; safari: number | null }

/**
 * The oldest browsers that the app's pages are made for. Scripts and stylesheets are built for them, and
 * test/house/browsers.test.ts looks for what they do not have. Said in README.md and docs/operators.md too.
 */
export const appFloor = { chrome: 123, firefox: 125, safari: 17.5 } satisfies Since
/** The oldest browsers that run the shop's script; in older ones shoppers see the shop as it is. `target` is what the build writes. */
export const shopperFloor = { chrome: 80, firefox: 74, safari: 13.1 } satisfies Since
export const shopperTarget = 'es2020'

/** For esbuild. */
export const appTargets: string[] = Object.entries(appFloor).map(
  ([browser, version]) => browser + version,
)
/** For lightningcss, which writes a version into one number. */
export const appStyleTargets: Record<keyof Since, number> = {
  chrome: styleVersion(appFloor.chrome),
  firefox: styleVersion(appFloor.firefox),
  safari: styleVersion(appFloor.safari),
}

function styleVersion(version: number): number {
  const [major = 0, minor = 0] = String(version).split('.').map(Number)
  return (major << 16) | (minor << 8)
}
