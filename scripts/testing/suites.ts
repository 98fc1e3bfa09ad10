import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The result of one suite. `note` says why it could not run. */
export type SuiteResult = {
  name: string
  passed: number
  failed: number
  seconds: number
  note?: string
}
type Environment = Record<string, string | undefined>

/**
 * Prints a line for each suite, and their sum alone on the last line. Returns the exit code: 1 when
 * anything failed, or when a suite ran nothing and does not say why.
 */
export function tellResults(results: SuiteResult[]): number {
  console.log('')
  for (const { name, passed, failed, seconds, note } of results)
    console.log(
      `${name.padEnd(22)} ${note ?? `${passed} passed, ${failed} failed`}  (${seconds} s)`,
    )
  const sum = (key: 'passed' | 'failed') => results.reduce((all, suite) => all + suite[key], 0)
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
  const isEmpty = ({ passed, failed, note }: SuiteResult) => passed + failed === 0 && !note
  return sum('failed') > 0 || sum('passed') === 0 || results.some(isEmpty) ? 1 : 0
}

/** Runs a check that either passes or fails: types, lint, build. */
export async function runCheck(
  name: string,
  command: string,
  args: string[],
  env: Environment = {},
): Promise<SuiteResult> {
  const start = performance.now()
  const code = await finished(spawnHere(command, args, env, 'inherit'))
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, seconds: since(start) }
}

/** Tests for tap at these paths: folders, or files by pattern. */
export type TapSuite = {
  name: string
  paths: string[]
  env?: Environment
  only?: (file: string) => boolean
}

/**
 * Runs tap over the files of a suite. Two processes (`jobs`) take one file after the other, see
 * tap-together.ts. `timeout`: seconds per file. Counts the top-level assertions of each file, and
 * prints the whole output of a file that fails.
 */
export async function runTap(
  name: string,
  paths: string[],
  env: Environment = {},
  { only, timeout, jobs = 2 }: Pick<TapSuite, 'only'> & { timeout?: number; jobs?: number } = {},
): Promise<SuiteResult> {
  const suite = { name, paths, env, ...(only && { only }) }
  return (
    await runTaps(
      Array.from({ length: jobs }, () => suite),
      timeout,
    )
  )[0]!
}

/**
 * Runs suites beside each other, one process for each entry of `lanes`. A process takes files of
 * its own suite first, then of the others, so that none is idle before the end. Returns a result
 * for each suite.
 */
export async function runTaps(lanes: TapSuite[], timeout = 240): Promise<SuiteResult[]> {
  const start = performance.now()
  const running = [...new Set(lanes)].map(suite => ({
    suite,
    files: filesOf(suite),
    result: { name: suite.name, passed: 0, failed: 0, seconds: 0 },
  }))
  const work = async (own: TapSuite, lane: number) => {
    const order = running.toSorted((a, b) => Number(b.suite === own) - Number(a.suite === own))
    for (const { suite, files, result } of order)
      while (files.length > 0) {
        const env = { ...suite.env, TAP_JOB_ID: String(lane) }
        const hasBegun = await runWorker(files, env, timeout, result)
        // Another process would not begin either.
        if (!hasBegun) files.length = 0
        result.seconds = since(start)
      }
  }
  await Promise.all(lanes.map(work))
  return running.map(({ result }) => result)
}

/** Files are listed one by one, because the folders also contain test helpers. */
function filesOf({ paths, only = () => true }: TapSuite): string[] {
  const found = paths.map(path =>
    globSync(path.endsWith('.test.ts') ? path : `${path}/**/*.test.ts`),
  )
  const nowhere = paths.filter((_, i) => found[i]!.length === 0)
  if (nowhere.length > 0) throw new Error(`There are no tests at ${nowhere.join(', ')}.`)
  return [...new Set(found.flat())].filter(only).sort()
}

/** Files that one process runs, so that leftovers of a file can only affect that many others. */
const filesAProcess = 25
/**
 * Seconds that tap has after a file's timeout to abort the file. A file that waits forever cannot
 * be aborted, so then the process is killed.
 */
const grace = 20

/**
 * Runs one process, which takes files off the list until it has had its share, the list is empty,
 * or a file ends it. Adds to the suite's result. Returns whether it asked for a file at all.
 */
async function runWorker(
  files: string[],
  env: Environment,
  timeout: number,
  result: SuiteResult,
): Promise<boolean> {
  const worker = spawnHere(
    process.execPath,
    [
      '--import=./jsx.js',
      '--import=./scripts/testing/light-domains.ts',
      '--disable-warning=ExperimentalWarning',
      'scripts/testing/tap-together.ts',
      String(timeout),
    ],
    env,
    'pipe',
    'ipc',
  )
  /** Files without any output so far. */
  const untold = new Set<string>()
  let current: string | undefined,
    taken = 0,
    lines: string[] = [],
    pointsFailed = 0,
    failures = 0
  const fail = () => {
    result.failed++
    failures++
  }
  const kill = () => setTimeout(() => worker.kill('SIGKILL'), (timeout + grace) * 1000)
  let late = kill()
  worker.on('message', message => {
    // Other messages are tap's own, about its timeout.
    if (message !== 'next') return
    clearTimeout(late)
    current = taken++ < filesAProcess ? files.shift() : undefined
    if (current !== undefined) untold.add(current)
    late = kill()
    // The worker may already be gone after a crash. Its current file is reported below.
    worker.send({ file: current }, () => {})
  })
  const output = createInterface({ input: worker.stdout! })
  const ended = new Promise<number | null>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', code => {
      clearTimeout(late)
      resolve(code)
      // Child processes may live on and keep this pipe open. The worker's own output has arrived by
      // now.
      setTimeout(() => {
        output.close()
        worker.stdout!.destroy()
      }, 1_000)
    })
  })
  for await (const line of output) {
    lines.push(line)
    const point = /^( {4})?(not )?ok \d+ - (.*)/.exec(line)
    if (!point || /# (SKIP|TODO)/.test(line)) continue
    const [, inner, not, title] = point
    if (inner) {
      if (not) {
        fail()
        pointsFailed++
      } else result.passed++
      continue
    }
    untold.delete(title!.replace(/ # time=.*/, ''))
    console.log(`${not ? '✗' : '✓'} ${title!.replace(' # time=', '  ')}  (${result.name})`)
    // The file failed without a failing assertion: it timed out or contains no test.
    if (not && pointsFailed === 0) fail()
    if (not) console.log(lines.join('\n'))
    lines = []
    pointsFailed = 0
    current = undefined
  }
  const code = await ended
  for (const file of untold)
    if (file !== current) {
      fail()
      console.log(`✗ ${file}: its process reported nothing about it`)
    }
  if (current !== undefined || taken === 0 || (code !== 0 && failures === 0)) {
    fail()
    console.log(
      `✗ ${current ?? result.name}: the process ended with code ${code}\n${lines.join('\n')}`,
    )
  }
  return taken > 0
}

/**
 * Runs Playwright over these folders. The counts come from its JSON report. A flaky test counts as
 * failed.
 */
export async function runPlaywright(
  name: string,
  paths: string[],
  env: Environment = {},
): Promise<SuiteResult> {
  const start = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-report-'))
  const report = join(folder, 'report.json')
  const code = await finished(
    spawnHere(
      'playwright',
      ['test', '--reporter=list,json', ...paths],
      { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
      'inherit',
    ),
  )
  const counts = { passed: 0, failed: 0 }
  try {
    const { stats } = JSON.parse(readFileSync(report, 'utf8')) as {
      stats: { expected: number; unexpected: number; flaky: number }
    }
    counts.passed = stats.expected
    counts.failed = stats.unexpected + stats.flaky
  } catch {
    counts.failed = 1
  }
  rmSync(folder, { recursive: true, force: true })
  if (code !== 0 && counts.failed === 0) counts.failed = 1
  return { name, ...counts, seconds: since(start) }
}

function spawnHere(
  command: string,
  args: string[],
  env: Environment,
  stdout: 'pipe' | 'inherit',
  ipc: 'ipc' | 'ignore' = 'ignore',
) {
  return spawn(command, args, {
    stdio: ['ignore', stdout, 'inherit', ipc],
    env: { ...process.env, ...env },
  })
}
const finished = (child: ReturnType<typeof spawn>) =>
  new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve(code ?? 1))
  })
const since = (start: number) => Math.round((performance.now() - start) / 100) / 10
