import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { generate, HttpClient } from 'openapi-typescript-codegen'
import t from 'tap'
import { startEngine } from '../support/engine.ts'

type Answer = Record<string, unknown>
type Call = (options: Answer) => Promise<Answer>
/** What the public generator makes of the API document: a class of calls for each tag, and one place for origin and token. */
type Client = { OpenAPI: { BASE: string; TOKEN?: string } } & Record<string, Record<string, Call>>

const {
  engine: { app },
  shop,
  close,
} = await startEngine()
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const folder = mkdtempSync(join(tmpdir(), 'twinshelf-client-'))
t.teardown(async () => {
  await close()
  rmSync(folder, { recursive: true, force: true })
})

t.test(
  'a client generated from the API document signs in, makes a draft, launches it and reads its report',
  async t => {
    const document = (await (await fetch(`${origin}/api/openapi.json`)).json()) as object
    await generate({
      input: document as never,
      output: join(folder, 'source'),
      httpClient: HttpClient.FETCH,
      useOptions: true,
      exportSchemas: false,
    })
    const outfile = join(folder, 'client.mjs')
    await build({
      entryPoints: [join(folder, 'source/index.ts')],
      bundle: true,
      format: 'esm',
      platform: 'node',
      outfile,
      logLevel: 'silent',
    })
    const client = (await import(pathToFileURL(outfile).href)) as Client
    client.OpenAPI.BASE = origin
    const calls = Object.assign(
      {},
      ...Object.values(client)
        .filter(part => typeof part === 'function')
        .map(part =>
          Object.fromEntries(Object.getOwnPropertyNames(part).map(name => [name, part[name]])),
        ),
    ) as Record<string, Call>

    await t.rejects(calls['storeInfo']!({}), { status: 401 } as never, 'nothing without a token')
    const { token } = await calls['auth']!({ requestBody: { idToken: await shop.idToken() } })
    client.OpenAPI.TOKEN = String(token)
    t.match(await calls['storeInfo']!({}), { name: 'Fern & Kiln' })
    const draft = (await calls['createDraft']!({
      requestBody: { kind: 'PageElement', title: 'From outside' },
    })) as { id: string; hypotheses: { id: string; arm: string }[] }
    const variant = draft.hypotheses.find(h => h.arm === 'variant')!.id
    await calls['setDomSelectors']!({
      id: variant,
      requestBody: {
        domSelectors: [
          {
            id: 'new',
            urlPatterns: ['/products/*'],
            actions: [{ selector: '.buy', kind: 'text', value: 'Ships today', name: '' }],
          },
        ],
      },
    })
    const { testId } = await calls['launchDraft']!({ id: draft.id })
    const report = await calls['test']!({ id: testId })
    t.match(report, { title: 'From outside', status: 'Active', summary: { visitors: [0, 0] } })
    t.match(await calls['dailyBy']!({ id: testId, metric: 'ConversionRate' }), [{ paused: 'no' }])
    await t.rejects(calls['launchDraft']!({ id: 'nonsense' }), { status: 404 } as never)
  },
)
