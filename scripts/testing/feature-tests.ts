import { globSync } from 'node:fs'
import { basename } from 'node:path'

export type FeatureTests = { tap: string[]; browser: string[] }

/**
 * Finds the tests of these features in every layer: tests in a room with a feature's name, and
 * tests whose own name begins with it ("reports" also finds report-tabs.spec.ts). Throws for a
 * feature without tests.
 */
export function testsOf(features: readonly string[]): FeatureTests {
  const all = {
    tap: globSync('test/{domain,engine,server,demo-shop}/**/*.test.ts'),
    browser: globSync('test/{storefront,islands,e2e}/**/*.spec.ts'),
  }
  const unknown = features.filter(
    feature => ![...all.tap, ...all.browser].some(file => isOf(file, feature)),
  )
  if (unknown.length > 0)
    throw new Error(
      `There are no tests of ${unknown.join(', ')}. Name a room, such as reports or drafts, or the beginning of a test’s name.`,
    )
  const own = (files: string[]) =>
    files.filter(file => features.some(feature => isOf(file, feature))).sort()
  return { tap: own(all.tap), browser: own(all.browser) }
}

const isOf = (file: string, feature: string): boolean =>
  file.includes(`/${feature}/`) || basename(file).startsWith(feature.replace(/s$/, ''))
