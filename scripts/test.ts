import { ensureChromium, installHeadlessShell } from './chromium.ts'
import { startPostgres } from './postgres.ts'
import { testsOf } from './testing/feature-tests.ts'
import { runCheck, runPlaywright, runTap, type SuiteResult, tellResults } from './testing/suites.ts'

// Everything that must hold, in one run: build, layout, types, lint, tap on PGlite, Chromium, and the engine again on Postgres.
// With names of features (`npm test -- reports`): the build and their tests alone.
process.chdir(new URL('..', import.meta.url).pathname)
// A developer's own settings must not leak into the suite, least of all the address of a database in use.
for (const key of ['DATABASE_URL', 'DATA_DIR', 'API_ORIGIN', 'PORT', 'NODE_ENV'])
  delete process.env[key]
process.env['CHROMIUM_PATH'] = ensureChromium()
installHeadlessShell()
// Some two hundred processes load the same modules.
process.env['NODE_COMPILE_CACHE'] ??= 'node_modules/.cache/node'

/**
 * What these hold is of the browser, the shop, the wire or the embedded database, which they open themselves: it is the same
 * on either database, and once is enough. Jobs that are killed are killed on both by job-crash.
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
  // More checkers than one look at the same types again, which takes a third more of two processors. What tap begins with are the rules, which wait for nothing.
  await run(
    runCheck('types', 'tsc', ['-b', '--checkers', '1']),
    runCheck('format', 'oxfmt', ['--check']),
    runCheck('lint', 'oxlint', ['--deny-warnings']),
    runTap(
      'tap on PGlite',
      ['test/domain', 'test/engine', 'test/server', 'test/demo-shop', 'test/house'],
      { TEST_DATABASE_URL: undefined },
    ),
  )
  // A story often waits for a page; the engine on Postgres takes what processors are free then.
  await run(
    runPlaywright('browser', ['test/storefront', 'test/islands', 'test/e2e']),
    engineOnPostgres(),
  )
}

/** On TEST_DATABASE_URL (each file makes a database of its own there), else on a Postgres started from the machine's binaries. */
async function engineOnPostgres(): Promise<SuiteResult> {
  const name = 'engine on Postgres'
  const given = process.env['TEST_DATABASE_URL']
  const postgres = given ? null : await startPostgres({ lasting: false })
  const url = given ?? postgres?.url
  if (!url)
    return {
      name,
      passed: 0,
      failed: 0,
      seconds: 0,
      note: 'not run: no Postgres on this machine (set TEST_DATABASE_URL)',
    }
  try {
    return await runTap(
      name,
      ['test/engine'],
      { TEST_DATABASE_URL: url },
      { except: notOfDatabase, jobs: 1 },
    )
  } finally {
    await postgres?.stop()
  }
}
