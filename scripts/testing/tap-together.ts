import { once } from 'node:events'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import tap, { type Test } from 'tap'

// A process of `runTap` (suites.ts): test files one after the other, as its parent names them. The argument is the time
// that a file may take, in seconds. To load the app and to compile the database takes longer than most files test, so
// they share it. Each file imports `tap` as ever and gets a subtest of its own: what it tears down ends with the file,
// and the output is that of `tap run` over the same files.
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

// tap ends for good as soon as nothing holds the process: while it waits for its parent, or for what holds none by itself.
const holding = setInterval(() => {}, 2 ** 30)
const timeout = Number(process.argv[2]) * 1000
// Each file has its own.
tap.setTimeout(0)
// A stage that several files share hangs its end on tap itself, which would end as soon as it waited for a next file.
const ends: (() => unknown)[] = []
Object.assign(tap, { teardown: (end: () => unknown) => ends.unshift(end) })
for (let file = await nextFile(); file; file = await nextFile()) {
  await tap.test(file, { timeout }, async t => {
    const { href } = pathToFileURL(file!)
    subtests.set(href, t)
    await import(href)
  })
}

for (const end of ends) await end()
clearInterval(holding)
// What a failed file left open (a server, a child process) may not keep this process.
setTimeout(() => process.exit(), 5_000).unref()

async function nextFile(): Promise<string | undefined> {
  const answer = once(process, 'message')
  process.send!('next')
  const [{ file }] = (await answer) as [{ file?: string }]
  return file
}
