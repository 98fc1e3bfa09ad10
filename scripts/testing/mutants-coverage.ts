import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ensureChromium } from '../chromium.ts'

/**
 * What one test file ran. For each source file: the offsets at which executed code begins and ends,
 * alternating.
 */
type Ran = {
  seconds: number
  test: string
  sources: Record<string, { hash: string; edges: number[] }>
}
/**
 * For a place in a source file: the test files that ran it, with the seconds each takes. Null when
 * unknown.
 */
export type Covering = (file: string, offset: number) => Map<string, number> | null

const folder = '.mutants/coverage'
const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12)

/**
 * Runs each test file of a layer alone once, and again only when it has changed. Remembers which
 * places of the layer's code it ran. For a source file that has changed since, the answer is null.
 */
export async function coverageOf(layer: string, jobs: number): Promise<Covering> {
  mkdirSync(folder, { recursive: true })
  const tests = globSync(`test/${layer}/**/*.test.ts`).sort(),
    known: [string, Ran][] = [],
    hashes = new Map<string, string>()
  const queue = tests.filter(test => {
    const path = kept(test),
      ran = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Ran) : null
    if (ran?.test !== hashOf(readFileSync(test, 'utf8'))) return true
    known.push([test, ran])
    return false
  })
  if (queue.length > 0) console.log(`looking at what ${queue.length} test files run …`)
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      for (let test = queue.shift(); test; test = queue.shift()) {
        const ran = await run(test, layer)
        writeFileSync(kept(test), JSON.stringify(ran))
        known.push([test, ran])
      }
    }),
  )
  const now = (file: string): string => {
    if (!hashes.has(file)) hashes.set(file, hashOf(readFileSync(file, 'utf8')))
    return hashes.get(file)!
  }
  return (file, offset) => {
    const all = known.flatMap(
      ([
        test,
        {
          seconds,
          sources: { [file]: source },
        },
      ]) => (source ? [{ test, seconds, ...source }] : []),
    )
    if (all.some(({ hash }) => hash !== now(file))) return null
    return new Map(
      all
        .filter(({ edges }) => edges.filter(edge => edge <= offset).length % 2 === 1)
        .map(({ test, seconds }) => [test, seconds]),
    )
  }
}

const kept = (test: string): string => join(folder, `${test.replaceAll('/', '-')}.json`)

async function run(test: string, layer: string): Promise<Ran> {
  const into = mkdtempSync(join(tmpdir(), 'twinshelf-coverage-')),
    start = performance.now()
  const worker = spawn(
    process.execPath,
    [
      '--import=./jsx.js',
      '--liftoff-only',
      '--disable-warning=ExperimentalWarning',
      'scripts/testing/tap-together.ts',
      '180',
    ],
    {
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
      env: {
        ...process.env,
        TEST_DATABASE_URL: undefined,
        CHROMIUM_PATH: ensureChromium(),
        NODE_V8_COVERAGE: into,
      },
    },
  )
  const queue: (string | undefined)[] = [test]
  worker.on('message', message => {
    if (message === 'next') worker.send({ file: queue.shift() }, () => {})
  })
  // A test that fails without a fault would seem to notice every fault.
  let fails = false
  createInterface({ input: worker.stdout! }).on('line', line => {
    fails ||= /^\s*not ok/.test(line) && !/# (SKIP|TODO)/.test(line)
  })
  const late = setTimeout(() => worker.kill('SIGKILL'), 240_000)
  const code = await new Promise(resolve => worker.once('exit', resolve))
  clearTimeout(late)
  if (fails || code !== 0) throw new Error(`${test} fails without a fault.`)
  const seconds = (performance.now() - start) / 1000,
    sources: Ran['sources'] = {}
  // Child processes may have run parts of the layer as well; each wrote its own file.
  for (const name of readdirSync(into)) {
    for (const { url, functions } of (
      JSON.parse(readFileSync(join(into, name), 'utf8')) as V8Coverage
    ).result) {
      const file = url.startsWith('file:') ? relative(process.cwd(), fileURLToPath(url)) : ''
      // Files that are compiled before they run (.tsx) have other offsets.
      if (!file.startsWith(`${layer}/`) || !file.endsWith('.ts')) continue
      const edges = edgesOf(functions.flatMap(({ ranges }) => ranges)),
        before = sources[file]
      sources[file] = before
        ? { ...before, edges: either(before.edges, edges) }
        : { hash: hashOf(readFileSync(file, 'utf8')), edges }
    }
  }
  rmSync(into, { recursive: true, force: true })
  return { seconds, test: hashOf(readFileSync(test, 'utf8')), sources }
}

type V8Range = { startOffset: number; endOffset: number; count: number }
type V8Coverage = { result: { url: string; functions: { ranges: V8Range[] }[] }[] }

/** Ranges are nested, and the innermost one says whether its code ran. */
function edgesOf(ranges: V8Range[]): number[] {
  const inner = [...ranges].sort(
    (a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset,
  )
  const edges: number[] = [],
    open: V8Range[] = []
  let ran = false
  const turn = (at: number, now: boolean): void => {
    if (now === ran) return
    if (edges.at(-1) === at) edges.pop()
    else edges.push(at)
    ran = now
  }
  const closeUntil = (at: number): void => {
    while (open.length > 0 && open.at(-1)!.endOffset <= at) {
      const { endOffset } = open.pop()!
      turn(endOffset, (open.at(-1)?.count ?? 0) > 0)
    }
  }
  for (const range of inner) {
    closeUntil(range.startOffset)
    open.push(range)
    turn(range.startOffset, range.count > 0)
  }
  closeUntil(Infinity)
  return edges
}

/** Merges the edges of two processes: code that ran in either of them. */
function either(a: number[], b: number[]): number[] {
  const isIn = (edges: number[], at: number): boolean =>
    edges.filter(edge => edge <= at).length % 2 === 1
  const edges: number[] = []
  for (const at of [...new Set([...a, ...b])].sort((x, y) => x - y))
    if ((isIn(a, at) || isIn(b, at)) !== (edges.length % 2 === 1)) edges.push(at)
  return edges
}
