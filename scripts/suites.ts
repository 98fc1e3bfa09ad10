import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** What one suite came to. `note` says why nothing ran, where nothing could. */
export type SuiteResult = { name: string; passed: number; failed: number; seconds: number; note?: string }
type Environment = Record<string, string | undefined>

/** A check that either holds or does not: types, lint, build. */
export async function runCheck(name: string, command: string, args: string[], env: Environment = {}): Promise<SuiteResult> {
  const start = performance.now()
  const code = await finished(spawnHere(command, args, env, 'inherit'))
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, seconds: since(start) }
}

/** tap over the tests at these paths: folders, or files by pattern. Its TAP output is read as it comes: the direct points of each file are counted, and failures shown whole. */
export async function runTap(name: string, paths: string[], env: Environment = {}, options: string[] = [], except?: RegExp): Promise<SuiteResult> {
  const start = performance.now()
  // Named one by one: of a folder tap would run every file, the tests' own tools too.
  const tests = globSync(paths.map(path => (path.endsWith('.test.ts') ? path : `${path}/**/*.test.ts`))).filter(file => !except?.test(file)).sort()
  const tap = spawnHere('tap', ['run', '--reporter=tap', ...options, ...tests], env, 'pipe')
  const counts = { passed: 0, failed: 0 }
  let file: string[] = []
  let pointsFailed = 0
  for await (const line of createInterface({ input: tap.stdout! })) {
    file.push(line)
    const point = /^( {4})?(not )?ok \d+ - (.*)/.exec(line)
    if (!point || /# (SKIP|TODO)/.test(line)) continue
    const [, inner, not, title] = point
    if (inner) {
      if (not) { counts.failed++; pointsFailed++ } else counts.passed++
      continue
    }
    console.log(`${not ? '✗' : '✓'} ${title!.replace(' # time=', '  ')}`)
    // A file that fails with no failing point of its own: it crashed, timed out or held nothing.
    if (not && pointsFailed === 0) counts.failed++
    if (not) console.log(file.join('\n'))
    file = []
    pointsFailed = 0
  }
  const code = await finished(tap)
  if (code !== 0 && counts.failed === 0) counts.failed = 1
  return { name, ...counts, seconds: since(start) }
}

/** Playwright over the folders given; counts come from its JSON report. A flaky test counts as failed. */
export async function runPlaywright(name: string, paths: string[], env: Environment = {}): Promise<SuiteResult> {
  const start = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-report-'))
  const report = join(folder, 'report.json')
  const code = await finished(spawnHere('playwright', ['test', '--reporter=list,json', ...paths], { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: report }, 'inherit'))
  const counts = { passed: 0, failed: 0 }
  try {
    const { stats } = JSON.parse(readFileSync(report, 'utf8')) as { stats: { expected: number; unexpected: number; flaky: number } }
    counts.passed = stats.expected
    counts.failed = stats.unexpected + stats.flaky
  } catch { counts.failed = 1 }
  rmSync(folder, { recursive: true, force: true })
  if (code !== 0 && counts.failed === 0) counts.failed = 1
  return { name, ...counts, seconds: since(start) }
}

function spawnHere(command: string, args: string[], env: Environment, stdout: 'pipe' | 'inherit') {
  return spawn(command, args, { stdio: ['ignore', stdout, 'inherit'], env: { ...process.env, ...env } })
}
const finished = (child: ReturnType<typeof spawn>) => new Promise<number>((resolve, reject) => {
  child.once('error', reject)
  child.once('close', code => resolve(code ?? 1))
})
const since = (start: number) => Math.round((performance.now() - start) / 100) / 10
