import { runTap } from './suites.ts'

// The long form of what the suite does briefly: a thousand fuzzed requests a call, a hundred kills, new seeds.
process.chdir(new URL('..', import.meta.url).pathname)
const seed = process.env['PROPERTY_SEED'] ?? String(Math.floor(Math.random() * 2 ** 31))
console.log(`PROPERTY_SEED=${seed}`)
const { passed, failed, seconds } = await runTap('soak', [
  'test/engine/fuzz-*.test.ts', 'test/engine/crash.test.ts', 'test/engine/job-crash.test.ts', 'test/engine/aggregates.test.ts', 'test/domain/*.test.ts',
], { PROPERTY_SEED: seed, FUZZ_REQUESTS: '1000', KILLS: '100' }, ['--timeout=3600', '--jobs=1'])
console.log(`${passed} passed, ${failed} failed  (${seconds} s)`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
