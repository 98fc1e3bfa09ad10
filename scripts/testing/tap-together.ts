import { once } from 'node:events'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import tap, { type Test } from 'tap'
import { capabilitiesOfRun, skippedFor } from '../../test/stories/story-needs.ts'

// A worker process of `runTaps` (suites.ts): runs test files one after the other, as its parent
// names them. The argument is the timeout of a file in seconds. Files share the process, because
// loading the app and compiling the database takes longer than most files test. Each file imports
// `tap` as usual but gets its own subtest: its teardowns run when the file ends, and the output is
// like that of `tap run` over the same files.
const subtests = new Map<string, Test>()
Object.assign(globalThis, { tapSubtests: subtests })
const scheme = 'tap-of:'
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'tap' && subtests.has(context.parentURL ?? '')
      ? { url: scheme + context.parentURL, shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) =>
    url.startsWith(scheme)
      ? {
          format: 'module',
          shortCircuit: true,
          source: `export default globalThis.tapSubtests.get(${JSON.stringify(url.slice(scheme.length))})`,
        }
      : next(url, context),
})

const lacking = skippedFor({ store: capabilitiesOfRun() })
// Keeps the process alive. Otherwise tap would end while the process waits for its parent, or for
// something that does not keep it alive.
const holding = setInterval(() => {}, 2 ** 30)
const timeout = Number(process.argv[2]) * 1000
// No timeout for the whole process: each file has its own.
tap.setTimeout(0)
// A fixture that several files share registers its teardown on tap itself. tap would run it and end
// as soon as it waits for the next file, so the teardowns are collected and run at the end.
const ends: (() => unknown)[] = []
Object.assign(tap, { teardown: (end: () => unknown) => ends.unshift(end) })
for (let file = await nextFile(); file; file = await nextFile()) {
  await tap.test(file, { timeout }, async t => {
    const { href } = pathToFileURL(file!)
    subtests.set(href, withoutLacking(t, file!))
    await import(href)
  })
}

for (const end of ends) await end()
clearInterval(holding)
// Things that a failed file left open (a server, a child process) must not keep this process alive.
setTimeout(() => process.exit(), 5_000).unref()

/** The test without the subtests for which this run's shops lack something (`npm run stories`). */
function withoutLacking(t: Test, file: string): Test {
  const titles = lacking.filter(({ row }) => row.file === file)
  if (titles.length === 0) return t
  const own = t.test.bind(t) as (...args: unknown[]) => unknown
  const test = (title: string, ...rest: unknown[]): unknown => {
    const found = titles.find(({ row }) => row.tests?.some(name => title.startsWith(name)))
    return found ? own(title, { skip: found.reason }) : own(title, ...rest)
  }
  return Object.assign(t, { test })
}

async function nextFile(): Promise<string | undefined> {
  const answer = once(process, 'message')
  process.send!('next')
  const [{ file }] = (await answer) as [{ file?: string }]
  return file
}
