import { ensureChromium, installHeadlessShell, storyBrowser } from './chromium.ts'
import { startPostgres } from './postgres.ts'
import { opensDatabase } from './testing/database-tests.ts'
import { testsOf } from './testing/feature-tests.ts'
import { lanes } from './testing/lanes.ts'
import {
  runCheck,
  runPlaywright,
  runTap,
  runTaps,
  type SuiteResult,
  type TapSuite,
  tellResults,
} from './testing/suites.ts'

// Runs every check: build, format, types, lint, tap on PGlite, Chromium, and the engine again on
// Postgres. With names of features (`npm test -- reports`) it runs only the build and the tests of
// those features.
process.chdir(new URL('..', import.meta.url).pathname)
// The developer's own settings must not affect the tests, above all not the address of a database
// in use.
for (const key of [
  'DATABASE_URL',
  'DATA_DIR',
  'API_ORIGIN',
  'PORT',
  'NODE_ENV',
  'DEMO_CAPABILITIES',
])
  delete process.env[key]
process.env['CHROMIUM_PATH'] = ensureChromium()
installHeadlessShell()
// About two hundred processes load the same modules, so they share compiled code.
process.env['NODE_COMPILE_CACHE'] ??= 'node_modules/.cache/node'

/**
 * Tests that use a database and still do not run again on Postgres. They are about the browser, the
 * shop, the protocol, or PGlite, which they open themselves, so the result is the same on either
 * database. Killed jobs are tested on both databases by job-crash.
 */
const notOfDatabase =
  /\/(launch-visits|uninstall-crash|screenshots|choice-pictures|screenshots-crash|brand-reader|brand-styles|platform-\w+|fuzz-\w+|outside-client|api-document|signalr|limits|shop-browser|chromium-launcher|demo-admin|backup-online|backup-places|synced-files|lock)\.test\.ts$/

const results: SuiteResult[] = []
const run = async (...suites: Promise<SuiteResult>[]) => {
  results.push(...(await Promise.all(suites)))
}

const asked = process.argv.slice(2)
if (asked.length > 0) await testFeatures(asked)
else await testAll()
process.exitCode = tellResults(results)

async function testFeatures(features: readonly string[]): Promise<void> {
  const { tap, browser } = testsOf(features)
  await run(runCheck('build', 'node', ['scripts/build.ts']))
  if (tap.length > 0) await run(runTap('tap on PGlite', tap, { TEST_DATABASE_URL: undefined }))
  if (browser.length > 0) await run(runPlaywright('browser', browser))
}

async function testAll(): Promise<void> {
  await run(runCheck('build', 'node', ['scripts/build.ts']))
  await Promise.all([
    // More type checkers would check the same types again, which takes a third more time on two
    // processors.
    run(runCheck('types', 'tsc', ['-b', '--checkers', '1'])),
    run(runCheck('format', 'oxfmt', ['--check'])),
    run(runCheck('lint', 'oxlint', ['--deny-warnings'])),
    tapThenBrowser(),
  ])
}

/** The tests on Postgres and on PGlite run beside each other, so that all lanes end together. */
async function tapThenBrowser(): Promise<void> {
  // Only tests of how we drive a browser need all of Chromium (whole-chromium.ts).
  const CHROMIUM_PATH = storyBrowser()
  const onPglite: TapSuite = {
    name: 'tap on PGlite',
    paths: ['test/domain', 'test/engine', 'test/server', 'test/demo-shop', 'test/house'],
    env: { TEST_DATABASE_URL: undefined, CHROMIUM_PATH },
  }
  // Every file creates a database of its own on this server.
  const given = process.env['TEST_DATABASE_URL'],
    postgres = given ? null : await startPostgres({ lasting: false })
  const url = given ?? postgres?.url
  const onPostgres: TapSuite = {
    name: 'engine on Postgres',
    paths: ['test/engine'],
    env: { TEST_DATABASE_URL: url, CHROMIUM_PATH },
    only: file => opensDatabase(file) && !notOfDatabase.test(file),
  }
  const begun = Array.from({ length: lanes }, (_, i) => (i === 0 && url ? onPostgres : onPglite))
  try {
    results.push(...(await runTaps(begun)))
  } finally {
    await postgres?.stop()
  }
  const note = 'not run: no Postgres on this machine (set TEST_DATABASE_URL)'
  if (!url) results.push({ name: onPostgres.name, passed: 0, failed: 0, seconds: 0, note })
  await run(runPlaywright('browser', ['test/storefront', 'test/islands', 'test/e2e']))
}
