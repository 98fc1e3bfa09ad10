import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { pathToFileURL } from 'node:url'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import { mulberry32 } from '../test/mulberry32.ts'
import { ensureChromium } from './chromium.ts'

// Puts faults into the code, one at a time, and tells which of them no test notices. Stryker makes the faults; the tests
// of the fault's layer that reach the file run nearest first until one fails, and with `--nearest 5` so many of other
// layers for what those did not notice. Goes on where it was stopped: `--fresh` begins anew.
process.chdir(new URL('..', import.meta.url).pathname)
const { positionals: [layer = 'domain'], values: { sample, seed, nearest, fresh } } = parseArgs({
  allowPositionals: true, options: { sample: { type: 'string', default: '300' }, seed: { type: 'string', default: '1' }, nearest: { type: 'string', default: '0' }, fresh: { type: 'boolean', default: false } },
})
/** Seconds that the tests of one fault may take: one that makes a loop endless is noticed by that. */
const patience = layer === 'domain' ? 45 : 300
type Mutant = { file: string; mutator: string; line: number; original: string; replacement: string; source: string }
type Outcome = { key: string; file: string; line: number; mutator: string; original: string; replacement: string; outcome: 'noticed' | 'survived'; by: string | null; seconds: number }

const log = `.mutants/${layer}-${seed}.jsonl`
mkdirSync(dirname(log), { recursive: true })
if (fresh) rmSync(log, { force: true })
const known = new Map(existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').filter(Boolean).map(line => JSON.parse(line) as Outcome).map(outcome => [outcome.key, outcome]) : [])

const folder = mkdtempSync(join(tmpdir(), 'twinshelf-mutant-'))
const tests = reachOfTests()
const random = mulberry32(Number(seed))
const chosen = (await mutantsOf(layer)).map(mutant => ({ mutant, at: random() })).sort((a, b) => a.at - b.at).slice(0, Number(sample)).map(({ mutant }) => mutant)
const outcomes: Outcome[] = []
for (const mutant of chosen) {
  const { file, line, mutator, original, replacement } = mutant, key = JSON.stringify([file, line, mutator, original, replacement])
  let outcome = known.get(key)
  if (!outcome) {
    const start = performance.now(), by = await noticedBy(mutant)
    outcome = { key, file, line, mutator, original, replacement, outcome: by === null ? 'survived' : 'noticed', by, seconds: Math.round((performance.now() - start) / 100) / 10 }
    appendFileSync(log, `${JSON.stringify(outcome)}\n`)
    known.set(key, outcome)
  }
  outcomes.push(outcome)
  if (outcome.outcome === 'survived') console.log(`survived  ${file}:${line}  ${mutator}  ${short(original)}  →  ${short(replacement)}`)
}
rmSync(folder, { recursive: true, force: true })
const noticed = outcomes.filter(({ outcome }) => outcome === 'noticed').length
console.log(`${layer}: ${noticed} of ${outcomes.length} noticed (${((100 * noticed) / outcomes.length).toFixed(1)}%), seed ${seed}; all of them in ${log}`)

function short(code: string): string {
  const line = code.replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 57)}…` : line
}

/** Every fault of a layer but those in texts and log lines. */
async function mutantsOf(layer: string): Promise<Mutant[]> {
  const quiet = Object.assign(() => {}, { isDebugEnabled: () => false }), silent = new Proxy({}, { get: (_, key) => (String(key).startsWith('is') ? () => false : quiet) })
  const instrumenter = new Instrumenter(silent as ConstructorParameters<typeof Instrumenter>[0])
  const found: Mutant[] = []
  for (const file of globSync(`${layer}/**/*.{ts,tsx}`).sort()) {
    const source = readFileSync(file, 'utf8'), lines = source.split('\n'), starts = [0]
    for (const line of lines) starts.push(starts.at(-1)! + line.length + 1)
    const { mutants } = await instrumenter.instrument([{ name: file, content: source, mutate: true }], { plugins: null, excludedMutations: ['StringLiteral'], ignorers: [], noHeader: true })
    for (const { location: { start, end }, mutatorName, replacement, status } of mutants) {
      const [from, to] = [starts[start.line]! + start.column, starts[end.line]! + end.column]
      if (status === 'Ignored' || /\blog\.\w+\(/.test(lines[start.line]!)) continue
      found.push({ file, mutator: mutatorName, line: start.line + 1, original: source.slice(from, to), replacement: replacement!, source: source.slice(0, from) + replacement! + source.slice(to) })
    }
  }
  return found
}

/** Of each file the test files that import it, with how many imports away. */
function reachOfTests(): Map<string, { test: string; distance: number }[]> {
  const imports = new Map<string, string[]>()
  const importsOf = (file: string): string[] => {
    if (!imports.has(file)) imports.set(file, !existsSync(file) ? [] : [...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, spec]) => join(dirname(file), spec!)))
    return imports.get(file)!
  }
  const reach = new Map<string, { test: string; distance: number }[]>()
  for (const test of globSync('test/{domain,engine,server}/**/*.test.ts').sort()) {
    const distances = new Map([[test, 0]])
    for (const [file, distance] of distances) for (const next of importsOf(file)) if (!distances.has(next)) distances.set(next, distance + 1)
    for (const [file, distance] of distances) if (distance > 0) reach.set(file, [...(reach.get(file) ?? []), { test, distance }])
  }
  // A layer's own tests first: they are the quick ones.
  for (const all of reach.values()) all.sort((a, b) => Number(!a.test.startsWith(`test/${layer}`)) - Number(!b.test.startsWith(`test/${layer}`)) || a.distance - b.distance)
  return reach
}

/** The first test file that fails with this fault; null when none of the nearest does. */
async function noticedBy({ file, source }: Mutant): Promise<string | null> {
  const all = (tests.get(file) ?? []).map(({ test }) => test), own = all.filter(test => test.startsWith(`test/${layer}/`))
  const queue = [...own, ...all.filter(test => !own.includes(test)).slice(0, own.length > 0 ? Number(nearest) : Math.max(3, Number(nearest)))]
  const changed = join(folder, 'changed.ts')
  writeFileSync(changed, source)
  const worker = spawn(process.execPath, ['--import=./jsx.js', '--liftoff-only', '--disable-warning=ExperimentalWarning', 'scripts/tap-together.ts', '120'], {
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    env: { ...process.env, TEST_DATABASE_URL: undefined, CHROMIUM_PATH: ensureChromium(), MUTANT_URL: pathToFileURL(file).href, MUTANT_FILE: changed, NODE_OPTIONS: `--import ${pathToFileURL('scripts/mutant-hook.js').href}` },
  })
  let current: string | undefined, failed: string | null = null
  const late = setTimeout(() => worker.kill('SIGKILL'), patience * 1000)
  worker.on('message', message => {
    if (message === 'next') worker.send({ file: current = queue.shift() }, () => {})
  })
  const output = createInterface({ input: worker.stdout! })
  output.on('line', line => {
    if (!/^\s*not ok/.test(line) || /# (SKIP|TODO)/.test(line)) return
    failed ??= current ?? 'a test'
    worker.kill('SIGKILL')
  })
  const code = await ended(worker)
  clearTimeout(late)
  return failed ?? (code === 0 ? null : current ?? 'the process itself')
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise(resolve => { child.once('exit', resolve) })
}
