import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { generate } from 'orval'
import t from 'tap'
import { startEngine } from '../support/engine.ts'

type Answer = Record<string, unknown>
/**
 * What the public generator makes from the API document: a function for each call, which takes the
 * values of the path, the body and the options of `fetch`.
 */
type Client = Record<string, (...input: unknown[]) => Promise<Answer>>

const {
  engine: { app },
  shop,
  close,
} = await startEngine()
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const folder = mkdtempSync(join(tmpdir(), 'twinshelf-client-'))
const source = join(folder, 'client.ts')
t.teardown(async () => {
  await close()
  rmSync(folder, { recursive: true, force: true })
})

t.before(async () => {
  const document = join(folder, 'openapi.json')
  writeFileSync(document, await (await fetch(`${origin}/api/openapi.json`)).text())
  await generate(
    {
      input: { target: document },
      output: {
        target: source,
        client: 'fetch',
        mode: 'single',
        baseUrl: origin,
        override: { fetch: { includeHttpResponseReturnType: false, forceSuccessResponse: true } },
      },
    },
    undefined,
    { logLevel: 'error', throwOnError: true },
  )
})

t.test(
  'a client generated from the API document signs in, makes a draft, launches it and reads its report',
  async t => {
    const client = (await import(pathToFileURL(source).href)) as Client
    await t.rejects(client['storeInfo']!(), { status: 401 } as never, 'nothing without a token')
    const { token } = await client['auth']!({ idToken: await shop.idToken() })
    const signedIn = { headers: { authorization: `Bearer ${String(token)}` } }
    t.match(await client['storeInfo']!(signedIn), { name: 'Fern & Kiln' })
    const draft = (await client['createDraft']!(
      { kind: 'PageElement', title: 'From outside' },
      signedIn,
    )) as { id: string; hypotheses: { id: string; arm: string }[] }
    const variant = draft.hypotheses.find(h => h.arm === 'variant')!.id
    await client['setDomSelectors']!(
      variant,
      {
        domSelectors: [
          {
            id: 'new',
            urlPatterns: ['/products/*'],
            actions: [{ selector: '.buy', kind: 'text', value: 'Ships today', name: '' }],
          },
        ],
      },
      signedIn,
    )
    const { testId } = await client['launchDraft']!(draft.id, signedIn)
    const report = await client['test']!(testId, signedIn)
    t.match(report, { title: 'From outside', status: 'Active', summary: { visitors: [0, 0] } })
    t.match(await client['dailyBy']!(testId, 'ConversionRate', signedIn), [{ paused: 'no' }])
    await t.rejects(client['launchDraft']!('nonsense', signedIn), { status: 404 } as never)
  },
)

t.test('its types describe the input and the answer of a call', async t => {
  // With a package.json here, one in a folder above cannot change the module type.
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const caller = join(folder, 'caller.ts')
  writeFileSync(
    caller,
    `import { createDraft, test } from './client.ts'
const draft = await createDraft({ kind: 'PageElement', title: 'From outside' })
const arm: 'control' | 'variant' = draft.hypotheses[0]!.arm
// @ts-expect-error: no kind of test has this name
await createDraft({ kind: 'Unheard of' })

// @ts-expect-error: a title is a text
await createDraft({ kind: 'PageElement', title: 1 })
const [control, variant]: [number, number] = (await test(draft.id)).summary.visitors
// @ts-expect-error: a test has two arms
const third = (await test(draft.id)).summary.visitors[2]
console.log(arm, control, variant, third)
`,
  )
  const compiler = ['node_modules/typescript/bin/tsc', '--noEmit', '--strict', '--ignoreConfig']
  const options = ['--target', 'es2024', '--module', 'nodenext', '--allowImportingTsExtensions']
  const told = await promisify(execFile)(process.execPath, [...compiler, ...options, caller]).then(
    () => 'no error',
    (error: { stdout?: string; message: string }) => error.stdout || error.message,
  )
  t.equal(told, 'no error')
})
