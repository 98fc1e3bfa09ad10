import { publishedChange } from './published-change.ts'
import type { PublishedChange, ScriptConfig, ScriptTest } from './script-config.ts'

/** A test as the script reads it. */
export type PublishedTest = Omit<ScriptTest, 'changes'> & { changes?: PublishedChange[] }
/** A shop's configuration as the script reads it. */
export type PublishedConfig = Omit<ScriptConfig, 'tests' | 'always'> & {
  tests: PublishedTest[]
  always?: PublishedChange[]
}

/**
 * The tests whose addresses a script may use. Addresses are checked at launch too: a script never
 * redirects to anything but http and https.
 */
export const safeTests = (tests: readonly ScriptTest[]): ScriptTest[] =>
  tests.filter(
    ({ to, sent }) =>
      !(to ?? sent) ||
      /^https?:$/.test(URL.parse((to ?? sent)!, 'https://shop.example')?.protocol ?? ''),
  )

/** Writes the changes of a test as tuples. */
export function publishedTest(test: ScriptTest): PublishedTest {
  const { changes, ...rest } = test
  // Written over the test's own changes, so that the order of the fields, and with it the script,
  // stays the same.
  return changes ? { ...test, changes: changes.map(publishedChange) } : rest
}
