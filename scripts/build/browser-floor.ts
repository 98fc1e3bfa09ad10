/** The first version of each browser that has a feature; null: no version has it yet. */
export type Since = { chrome: number | null; firefox: number | null; safari: number | null }

/**
 * The oldest browsers that the app's pages support. Scripts and stylesheets are built for them, and
 * test/house/browsers.test.ts finds features that they do not have. README.md and docs/operators.md
 * name them too.
 */
export const appFloor = { chrome: 123, firefox: 125, safari: 17.5 } satisfies Since
/**
 * The oldest browsers that run the shop's script. In older ones, shoppers see the shop unchanged.
 * `shopperTarget` is the syntax that the build writes.
 */
export const shopperFloor = { chrome: 80, firefox: 74, safari: 13.1 } satisfies Since
export const shopperTarget = 'es2020'

/** The same for esbuild. */
export const appTargets: string[] = Object.entries(appFloor).map(
  ([browser, version]) => browser + version,
)
/** The same for lightningcss, which encodes a version as one number. */
export const appStyleTargets: Record<keyof Since, number> = {
  chrome: styleVersion(appFloor.chrome),
  firefox: styleVersion(appFloor.firefox),
  safari: styleVersion(appFloor.safari),
}

function styleVersion(version: number): number {
  const [major = 0, minor = 0] = String(version).split('.').map(Number)
  return (major << 16) | (minor << 8)
}
