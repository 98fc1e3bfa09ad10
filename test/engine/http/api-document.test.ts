import { readFileSync } from 'node:fs'
import t from 'tap'
import { apiDocument, documentPath } from '../../../domain/api/api-document.ts'
import type { Call } from '../../../domain/api/call.ts'
import { contract } from '../../../domain/api/contract.ts'
import { staffContract } from '../../../domain/staff/staff-contract.ts'
import { apiSessions } from '../../../server/upstream/api-session.ts'
import { createUpstream } from '../../../server/upstream/upstream.ts'
import { startEngine } from '../support/engine.ts'

const {
  engine: { app },
  close,
} = await startEngine()
t.teardown(close)
const rows = Object.entries<Call>(contract)
const { calls } = JSON.parse(readFileSync('test/cases/calls.json', 'utf8')) as {
  calls: [method: string, path: string][]
}
/**
 * Replaces each parameter by `:x`, because calls may name the same parameter differently. Then the
 * router prints both names.
 */
const form = (method: string, path: string) => `${method} ${path.replace(/:\w+(\|:\w+)*/g, ':x')}`

t.test('every call that the product makes is in the contract', async t => {
  t.equal(calls.length, 92)
  const declared = new Set(rows.map(([, { method, path }]) => form(method, path)))
  t.same(
    calls.map(([method, path]) => form(method, path)).filter(call => !declared.has(call)),
    [],
  )
})

t.test('routes, document and client agree with the contract', async t => {
  const document = (await app.inject('/api/openapi.json')).json<{
    openapi: string
    paths: Record<
      string,
      Record<string, { operationId: string; summary: string; 'x-for-other-clients'?: true }>
    >
  }>()
  t.equal(document.openapi, '3.1.0')
  t.same(
    document,
    JSON.parse(
      JSON.stringify(
        apiDocument({
          platforms: ['demo'],
          origin: '/',
          version: (document as unknown as { info: { version: string } }).info.version,
        }),
      ),
    ),
  )
  const upstream = createUpstream('http://127.0.0.1:1')
  const client = apiSessions(upstream, () => new Date())('token').api
  t.teardown(() => upstream.close())
  for (const [name, { method, path, file, about, forOtherClients }] of rows) {
    t.ok(app.hasRoute({ method, url: path.replace('{platform}', 'demo') }), `${name} is served`)
    t.equal(
      document.paths[documentPath(path, 'demo')]?.[method.toLowerCase()]?.operationId,
      name,
      `${name} is documented`,
    )
    t.equal(
      document.paths[documentPath(path, 'demo')]?.[method.toLowerCase()]?.['x-for-other-clients'],
      forOtherClients,
      `${name} says for whom it is served`,
    )
    t.ok(about, `${name} says what it does`)
    if (!file) t.type(client[name as keyof typeof client], 'function', `${name} can be called`)
  }
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
  t.equal(documented.length, rows.length)
})

t.test(
  'every route below /api is in a contract, and every call of the staff contract is served',
  async t => {
    const staffRows = Object.entries<Call>(staffContract)
    for (const [name, { method, path }] of staffRows)
      t.ok(app.hasRoute({ method, url: path.replace('{platform}', 'demo') }), `${name} is served`)
    const declared = new Set(
      [...rows, ...staffRows].map(([, { method, path }]) =>
        form(method, path.replace('{platform}', 'demo')),
      ),
    )
    const routes = app.printRoutes({ commonPrefix: false, includeMeta: false }).split('\n')
    const served: string[] = []
    const stack: string[] = []
    for (const line of routes) {
      const [, indent = '', piece = ''] = /^((?:[│ ] {3})*)(?:├── |└── )(.*)$/.exec(line) ?? []
      const [, path = '', methods] = /^(.*?)(?: \(([A-Z, ]+)\))?$/.exec(piece) ?? []
      stack.length = indent.length / 4
      stack.push(path)
      for (const method of methods?.split(', ') ?? [])
        if (method !== 'HEAD' && method !== 'OPTIONS') served.push(form(method, stack.join('')))
    }
    const api = served.filter(route => / \/(api|auth)\b/.test(route))
    t.ok(api.length >= rows.length, `${api.length} routes were found`)
    const own = new Set(['GET /api/openapi.json', 'GET /api/docs'])
    // The path of a collection is served with and without a slash at the end.
    t.same(
      api.filter(route => !own.has(route) && !declared.has(route) && !declared.has(`${route}/`)),
      [],
    )
  },
)

t.test('the page /api/docs names every call, runs no script and cannot be framed', async t => {
  const page = await app.inject('/api/docs')
  t.equal(page.statusCode, 200)
  t.match(page.headers['content-security-policy'], /default-src 'none'.*frame-ancestors 'none'/)
  for (const [name, { path }] of rows) t.match(page.body, `id="${name}"`, path)
  t.notMatch(page.body, '<script')
})
