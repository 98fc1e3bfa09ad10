import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { pathToFileURL } from 'node:url'
import { ensureChromium } from './chromium.ts'
import { coverageOf } from './testing/mutants-coverage.ts'
import { inOneLine, keyOf, type Mutant, mutantsOf } from './testing/mutants-faults.ts'
import { reachOfTests } from './testing/mutants-reach.ts'

// Puts faults into the code, one at a time, and reports the faults that no test notices. Stryker
// makes the faults. For each fault, test files of its layer run until one fails, nearest first, at
// most `--tests`: those that run the faulty place (in the domain: those that import the file). With
// `--nearest 5`, five files of other layers run for faults that these did not notice. `--jobs`
// faults are tested at once. A second run continues where the first one stopped.
// `--again` tests the survivors once more, with more test files; `--only draft` limits that to
// files with this in their name. `--first a.test.ts,b.test.ts` runs these files before others.
// `--fresh` forgets all results. Whether a fault is in the sample depends only on its own text, so
// a change of the code leaves the rest of the sample as it was. Faults in mutants-equivalent.json
// are not counted.
process.chdir(new URL('..', import.meta.url).pathname)

const {
  positionals: [layer = 'domain'],
  values: { sample, seed, tests: most, nearest, first, only, again, jobs, fresh },
} = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', default: '8' },
    nearest: { type: 'string', default: '0' },
    first: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    again: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
    fresh: { type: 'boolean', default: false },
  },
})

/** Timeout of one test file in seconds. It also notices a fault that makes a loop endless. */
const timeout = layer === 'domain' ? 45 : 75

type Outcome = Omit<Mutant, 'source' | 'offset'> & {
  outcome: 'noticed' | 'survived'
  by: string | null
  seconds: number
}

const log = `.mutants/${layer}-${seed}.jsonl`

mkdirSync(dirname(log), { recursive: true })

if (fresh) rmSync(log, { force: true })

// A later line about the same fault replaces the earlier one.
const known = new Map(
  existsSync(log)
    ? readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line) as Outcome)
        .map(outcome => [keyOf(outcome, /\d*$/.exec(outcome.key)![0]), outcome])
    : [],
)

const equivalents = new Map(
  (
    JSON.parse(readFileSync('scripts/testing/mutants-equivalent.json', 'utf8')) as {
      file: string
      original: string
      replacement: string
      reason: string
    }[]
  ).map(({ file, original, replacement, reason }) => [
    keyOf({ file, original, replacement }),
    reason,
  ]),
)

const folder = mkdtempSync(join(tmpdir(), 'twinshelf-mutant-'))

const reach = reachOfTests()

const drawn = (await mutantsOf(layer))
  .map(mutant => ({
    mutant,
    at: createHash('sha256').update(`${seed} ${mutant.key}`).digest('hex'),
  }))
  .sort((a, b) => (a.at < b.at ? -1 : 1))
  .map(({ mutant }) => mutant)

// Faults that were already tested stay in the sample.
const chosen = [
  ...drawn.filter(({ key }) => known.has(key)),
  ...drawn.filter(({ key }) => !known.has(key)),
].slice(0, Number(sample))

const covering = layer === 'domain' ? null : await coverageOf(layer, Number(jobs))

const outcomes: Outcome[] = []

let equivalent = 0,
  asked = 0

const ask = async (mutant: Mutant): Promise<void> => {
  const { source: _, offset: __, ...what } = mutant
  const { file, original, replacement } = mutant
  if (equivalents.has(keyOf({ file, original, replacement }))) {
    equivalent++
    return
  }
  let outcome = known.get(mutant.key)
  if (!outcome || (again && outcome.outcome === 'survived' && mutant.file.includes(only))) {
    const start = performance.now(),
      by = await noticedBy(mutant)
    outcome = {
      ...what,
      outcome: by === null ? 'survived' : 'noticed',
      by,
      seconds: Math.round((performance.now() - start) / 100) / 10,
    }
    appendFileSync(log, `${JSON.stringify(outcome)}\n`)
  }
  outcomes.push(outcome)
  if (outcome.outcome === 'survived')
    console.log(
      `survived  ${mutant.file}:${mutant.line}  ${mutant.mutator}  ${short(mutant.original)}  →  ${short(mutant.replacement)}`,
    )
}

await Promise.all(
  Array.from({ length: Number(jobs) }, async () => {
    while (asked < chosen.length) await ask(chosen[asked++]!)
  }),
)

rmSync(folder, { recursive: true, force: true })

const noticed = outcomes.filter(({ outcome }) => outcome === 'noticed').length

console.log(
  `${equivalent} of ${chosen.length} change nothing and are not counted (scripts/testing/mutants-equivalent.json says why); at most ${most} test files were asked about each of the others`,
)

console.log(
  `${layer}: ${noticed} of ${outcomes.length} noticed (${((100 * noticed) / outcomes.length).toFixed(1)}%), seed ${seed}; all of them in ${log}`,
)

function short(code: string): string {
  const line = inOneLine(code)
  return line.length > 60 ? `${line.slice(0, 57)}…` : line
}

/**
 * The test files of the layer to run: those that run the faulty place, the nearest and the quickest
 * first, for a minute in all.
 */
function testsOf(file: string, offset: number, nearestFirst: string[]): string[] {
  const ran = covering?.(file, offset)
  if (!ran) return nearestFirst.slice(0, Number(most))
  const near = nearestFirst.slice(0, 4),
    place = (test: string) =>
      nearestFirst.includes(test) ? nearestFirst.indexOf(test) : nearestFirst.length
  // With `--again`: faults that the quick files did not notice go to the nearest files.
  const weight = ([test, seconds]: [string, number]): number =>
    again ? place(test) : seconds * (near.includes(test) ? 0.2 : 1)
  let time = 0
  return [...ran]
    .sort((a, b) => weight(a) - weight(b))
    .slice(0, Number(most) * (again ? 2 : 1))
    .filter(([, seconds], n) => (time += seconds) < (again ? 150 : 60) || n < 2)
    .map(([test]) => test)
}

/** The first test file that fails with this fault; null when none fails. */
async function noticedBy({ file, source, offset }: Mutant): Promise<string | null> {
  const all = reach.get(file) ?? [],
    own = testsOf(
      file,
      offset,
      all.filter(test => test.startsWith(`test/${layer}/`)),
    )
  const queue = [
    ...first.split(',').filter(Boolean),
    ...own,
    ...all
      .filter(test => !test.startsWith(`test/${layer}/`))
      .slice(0, own.length > 0 || first ? Number(nearest) : Math.max(3, Number(nearest))),
  ]
  const changed = join(
    folder,
    `changed-${createHash('sha256').update(source).digest('hex').slice(0, 12)}.ts`,
  )
  writeFileSync(changed, source)
  const worker = spawn(
    process.execPath,
    [
      '--import=./jsx.js',
      '--liftoff-only',
      '--disable-warning=ExperimentalWarning',
      'scripts/testing/tap-together.ts',
      String(timeout - 5),
    ],
    {
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
      env: {
        ...process.env,
        TEST_DATABASE_URL: undefined,
        NODE_COMPILE_CACHE: 'node_modules/.cache/node',
        CHROMIUM_PATH: ensureChromium(),
        MUTANT_URL: pathToFileURL(file).href,
        MUTANT_FILE: changed,
        NODE_OPTIONS: `--import ${pathToFileURL('scripts/testing/mutant-hook.js').href}`,
      },
    },
  )
  let current: string | undefined,
    failed: string | null = null
  let late: NodeJS.Timeout | undefined
  worker.on('message', message => {
    if (message !== 'next') return
    clearTimeout(late)
    late = setTimeout(() => worker.kill('SIGKILL'), timeout * 1000)
    worker.send({ file: (current = queue.shift()) }, () => {})
  })
  const output = createInterface({ input: worker.stdout! })
  output.on('line', line => {
    if (!/^\s*not ok/.test(line) || /# (SKIP|TODO)/.test(line)) return
    failed ??= current ?? 'a test'
    worker.kill('SIGKILL')
  })
  const code = await ended(worker)
  clearTimeout(late)
  return failed ?? (code === 0 ? null : (current ?? 'the process itself'))
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise(resolve => {
    child.once('exit', resolve)
  })
}
