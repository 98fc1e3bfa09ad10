import { runCheck, runTap, tellResults } from './testing/suites.ts'

// Runs the checks that changes break most often, within a minute: format, lint, types, house rules
// and the domain's tests.
process.chdir(new URL('..', import.meta.url).pathname)
process.env['NODE_COMPILE_CACHE'] ??= 'node_modules/.cache/node'

async function quickOnes() {
  return [
    await runCheck('format', 'oxfmt', ['--check']),
    await runCheck('lint', 'oxlint', ['--deny-warnings']),
    await runTap('house', ['test/house'], {}, { jobs: 1 }),
    await runTap('domain', ['test/domain'], {}, { jobs: 1 }),
  ]
}
const [types, others] = await Promise.all([
  runCheck('types', 'tsc', ['-b', '--checkers', '1']),
  quickOnes(),
])
process.exitCode = tellResults([types, ...others])
