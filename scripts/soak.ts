import { pathToFileURL } from 'node:url'
import { ensureChromium } from './chromium.ts'
import { runCheck, runPlaywright, runTap, type SuiteResult } from './testing/suites.ts'

// Runs the suite's short checks at length: a thousand fuzzed requests for each call, a hundred
// kills, a thousand clients that disconnect half way, new seeds; and the browser stories once more
// with slow servers. On a quiet machine with two processors it takes 75 minutes.
// `npm run soak -- fuzz probes` runs only these parts.
process.chdir(new URL('..', import.meta.url).pathname)
process.env['CHROMIUM_PATH'] = ensureChromium()
const seed = process.env['PROPERTY_SEED'] ?? String(Math.floor(Math.random() * 2 ** 31))
const preload = (script: string) => `--import ${pathToFileURL(`scripts/testing/${script}`).href}`
const onDay = (day: string, except?: RegExp): Promise<SuiteResult> =>
  runTap(
    `on ${day.slice(0, 10)}`,
    ['test/domain', 'test/engine', 'test/server', 'test/demo-shop'],
    { TEST_DATABASE_URL: undefined, DATE_SHIFT: day, NODE_OPTIONS: preload('shifted-date.js') },
    except && { only: file => !except.test(file) },
  )
/**
 * Tests with data of 2025 and 2026: months of earnings, days of tests, changes of products, themes
 * older than their copies. On an earlier day these are in the future, and the tokens that the shop
 * issues today have ended by the engine's clock.
 */
const ofLaterYears =
  /(admin-money|merchant-copies|page-days|platform-products|stores\/stores|tests\/schedule|test-lists|server\/staff\/admin)\.test\.ts$/

const parts: Record<string, () => Promise<SuiteResult>> = {
  fuzz: () =>
    runTap(
      'fuzzing and killing',
      [
        'test/engine/fuzz',
        'test/engine/db/crash.test.ts',
        'test/engine/jobs/job-crash.test.ts',
        'test/engine/events/aggregate.test.ts',
        'test/engine/brand/brand-reader.test.ts',
        'test/domain',
      ],
      { PROPERTY_SEED: seed, FUZZ_REQUESTS: '1000', KILLS: '100', SHOPS: '2000' },
      { timeout: 3600, jobs: 1 },
    ),
  // A leap day before the shop exists, at an hour when two countries have different dates; and the
  // end of a year far ahead.
  past: () => onDay('2024-02-29T01:30:00Z', ofLaterYears),
  future: () => onDay('2031-12-31T23:50:00Z'),
  probes: () => runTap('probes', ['test/soak'], {}, { timeout: 3600, jobs: 1 }),
  connections: () =>
    runTap(
      'broken connections',
      ['test/server/http/public-side.test.ts'],
      { SOCKETS: '1000' },
      { jobs: 1 },
    ),
  browser: () =>
    runPlaywright('browser, slow answers', ['test/storefront', 'test/islands', 'test/e2e'], {
      SLOW_ANSWERS: seed,
      VISITS: '500',
      SHOPPERS: '1500',
      NODE_OPTIONS: preload('slow-answers.js'),
    }),
}

const asked = process.argv.slice(2),
  unknown = asked.filter(name => !Object.hasOwn(parts, name))
if (unknown.length > 0)
  throw new Error(
    `There is no part ${unknown.join(', ')}. The parts are ${Object.keys(parts).join(', ')}.`,
  )
console.log(`PROPERTY_SEED=${seed}`)
const results: SuiteResult[] = []
const tell = ({ name, passed, failed, seconds }: SuiteResult) =>
  console.log(`${name.padEnd(22)} ${passed} passed, ${failed} failed  (${seconds} s)`)
const runInTurn = async (names: string[]) => {
  for (const name of names) {
    const result = await parts[name]!()
    // A part lasts up to an hour. Its result is told at once, in case a later part is interrupted.
    tell(result)
    results.push(result)
  }
}

results.push(await runCheck('build', 'node', ['scripts/build.ts']))
// Fuzzing takes as long as the other parts together and uses one processor.
const wanted = Object.keys(parts).filter(name => asked.length === 0 || asked.includes(name)),
  isFuzz = (name: string) => name === 'fuzz'
await Promise.all([
  runInTurn(wanted.filter(isFuzz)),
  runInTurn(wanted.filter(name => !isFuzz(name))),
])
console.log('')
results.forEach(tell)
process.exitCode = results.some(({ passed, failed }) => failed > 0 || passed === 0) ? 1 : 0
