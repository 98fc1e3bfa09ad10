import { globSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { capabilitiesByName, namedCapabilities } from '../domain/platform/capabilities.ts'
import { skippedFor } from '../test/stories/story-needs.ts'
import { ensureChromium, installHeadlessShell } from './chromium.ts'
import { testsOf } from './testing/feature-tests.ts'
import { runCheck, runPlaywright, runTap, type SuiteResult, tellResults } from './testing/suites.ts'

// npm run stories -- --capabilities=poorest [room or path …]: runs the engine's tests and the
// browser stories on demo shops that can do only so much. Tests that need what these shops lack are
// listed with the reason, and skipped.
//
// npm run stories -- --platform=shopify [path …]: runs the stories of merchants and shoppers on the
// demo shop's other face, where a merchant installs the app first.
process.chdir(new URL('..', import.meta.url).pathname)
const { values, positionals } = parseArgs({
  options: { capabilities: { type: 'string' }, platform: { type: 'string' } },
  allowPositionals: true,
})
const { platform } = values
const name = namedCapabilities.find(
  each => each === (values.capabilities ?? (platform ? 'richest' : 'poorest')),
)
if (!name || (platform !== undefined && platform !== 'shopify')) {
  console.error(`--capabilities is ${namedCapabilities.join(' or ')}, --platform is shopify.`)
  process.exit(2)
}
for (const key of ['DATABASE_URL', 'DATA_DIR', 'API_ORIGIN', 'PORT', 'NODE_ENV'])
  delete process.env[key]
process.env['CHROMIUM_PATH'] = ensureChromium()
installHeadlessShell()
process.env['NODE_COMPILE_CACHE'] ??= 'node_modules/.cache/node'
process.env['DEMO_CAPABILITIES'] = name
if (platform) Object.assign(process.env, { STORY_PLATFORM: platform, SHOPIFY_THEME_WRITES: 'on' })

/** Seconds for each file: this run is rare, and must not fail on a machine that does other work. */
const timeout = 400
const found = positionals.length > 0 ? testsIn(positionals) : everything()
const all = [...found.tap, ...found.browser]
const skipped = skippedFor({ store: capabilitiesByName[name], platform }).filter(({ row }) =>
  all.includes(row.file),
)
if (skipped.length > 0) console.log('Not run, because these shops lack what it needs:')
for (const { row, reason } of skipped)
  for (const test of row.tests ?? ['all of it']) console.log(`- ${row.file}, ${test}: ${reason}`)
const whole = new Set(skipped.flatMap(({ row }) => (row.tests ? [] : [row.file])))
const rest = (files: readonly string[]) => files.filter(file => !whole.has(file))

const results: SuiteResult[] = [await runCheck('build', 'node', ['scripts/build.ts'])]
const tap = rest(found.tap),
  browser = rest(found.browser)
if (tap.length > 0)
  results.push(await runTap(`tap, ${name}`, tap, { TEST_DATABASE_URL: undefined }, { timeout }))
if (browser.length > 0)
  results.push(
    await runPlaywright(`browser, ${name}`, [
      // One at a time: a page waits only some seconds for its shop, and the shop of such a story
      // has the whole of Shopify's schema to check each request against.
      ...(platform ? ['--workers=1'] : []),
      ...withoutTitles(browser),
      ...browser,
    ]),
  )
process.exitCode = tellResults(results)

/** The engine's tests, and the stories that open a browser on a shop. */
function everything() {
  // These open the app in the shop's admin, whichever platform that is.
  if (platform)
    return {
      tap: [],
      browser: globSync('test/e2e/*.spec.ts').filter(file =>
        readFileSync(file, 'utf8').includes('openApp('),
      ),
    }
  return {
    tap: globSync('test/engine/**/*.test.ts'),
    browser: globSync('test/{storefront,e2e}/**/*.spec.ts'),
  }
}

/** Tests by their paths, or by the names of features as in `npm test -- reports`. */
function testsIn(names: readonly string[]) {
  const { tap, browser } = everything()
  const paths = names.filter(each => each.startsWith('test/')),
    features = names.filter(each => !each.startsWith('test/'))
  const own = features.length > 0 ? testsOf(features) : { tap: [], browser: [] }
  const isMeant = (file: string) =>
    [...own.tap, ...own.browser].includes(file) || paths.some(path => file.startsWith(path))
  return { tap: tap.filter(isMeant), browser: browser.filter(isMeant) }
}

/** Playwright matches this with "file title"; tap leaves titles out itself (tap-together.ts). */
function withoutTitles(files: readonly string[]): string[] {
  const titles = skipped.flatMap(({ row }) =>
    files.includes(row.file) ? (row.tests ?? []).map(title => title) : [],
  )
  const pattern = titles.map(title => title.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')
  return titles.length > 0 ? [`--grep-invert=${pattern}`] : []
}
