import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { apiDocument } from '../../domain/api/api-document.ts'
import type { EngineConfig } from '../config.ts'

type Schema = Record<string, unknown>
type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters: { name: string; in: string; required: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { description: string; content: Record<string, { schema: Schema }> }>
}

/**
 * Serves the API contract for authors of clients: /api/openapi.json for programs, /api/docs for
 * people.
 */
export function apiPage(
  app: FastifyInstance,
  { config, version, platforms }: { config: EngineConfig; version: string; platforms: string[] },
): void {
  // Made when somebody first asks: no start of the engine need wait for it.
  let made: { json: string; page: string } | undefined
  const make = () => {
    const document = apiDocument({
      platforms,
      origin: config.API_PUBLIC_ORIGIN ?? '/',
      version,
    })
    return {
      json: JSON.stringify(document),
      page: draw(document as { paths: Record<string, Record<string, Operation>> }, version),
    }
  }
  app.get('/api/openapi.json', (_, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .header('access-control-allow-origin', '*')
      .send((made ??= make()).json),
  )
  app.get('/api/docs', (_, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers({
        'cache-control': 'public, max-age=300',
        'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(css).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      })
      .send((made ??= make()).page),
  )
}

const css = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1d2429;background:#fff}
h2{margin-top:2.5rem;text-transform:capitalize}details{border:1px solid #d9dee2;border-radius:8px;margin:.5rem 0;padding:.5rem .8rem}
summary{cursor:pointer}code,pre{font:13px/1.45 ui-monospace,monospace}pre{background:#f5f7f8;padding:.7rem;border-radius:6px;overflow:auto}
b{display:inline-block;min-width:4.2rem}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.25rem .6rem .25rem 0;vertical-align:top;border-bottom:1px solid #eceff1}
@media (prefers-color-scheme:dark){body{color:#e6eaed;background:#14191d}details{border-color:#333c43}pre{background:#1c2328}td,th{border-color:#2a3238}}`

function draw(
  { paths }: { paths: Record<string, Record<string, Operation>> },
  version: string,
): string {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ path, method, call })),
  )
  const tags = [...new Set(calls.map(({ call }) => call.tags[0]!))]
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Twinshelf API</title><meta name="viewport" content="width=device-width,initial-scale=1"><style>${css}</style></head>
<body><h1>Twinshelf API ${text(version)}</h1><p>${calls.length} calls. Sign in by <code>POST /auth</code>, then send the token as <code>Authorization: Bearer …</code>. The same as data: <a href="/api/openapi.json">openapi.json</a>.</p>
${tags
  .map(
    tag =>
      `<h2>${text(tag.replaceAll('-', ' '))}</h2>${calls
        .filter(({ call }) => call.tags[0] === tag)
        .map(drawCall)
        .join('\n')}`,
  )
  .join('\n')}</body></html>`
}

function drawCall({
  path,
  method,
  call,
}: {
  path: string
  method: string
  call: Operation
}): string {
  const { parameters, requestBody, responses } = call
  const rows = parameters
    .map(
      p =>
        `<tr><td><code>${text(p.name)}</code></td><td>${p.in}${p.required ? '' : ', optional'}</td><td><code>${text(brief(p.schema))}</code></td></tr>`,
    )
    .join('')
  return `<details id="${text(call.operationId)}"><summary><b>${method.toUpperCase()}</b> <code>${text(path)}</code> ${text(call.summary)}</summary>
${call.description ? `<p>${text(call.description)}</p>` : ''}
${rows && `<table><tr><th>Parameter</th><th>In</th><th>Form</th></tr>${rows}</table>`}
${requestBody ? `<p>Body</p>${schemaBlock(requestBody.content)}` : ''}
${Object.entries(responses)
  .map(([status, { description, content }]) =>
    status === '200'
      ? `<p>Answer</p>${schemaBlock(content)}`
      : `<p><b>${status}</b> ${text(description)}</p>`,
  )
  .join('')}</details>`
}

const schemaBlock = (content: Record<string, { schema: Schema }>): string =>
  Object.entries(content)
    .map(
      ([type, { schema }]) =>
        `<pre>${type === 'application/json' ? text(shape(schema)) : text(type)}</pre>`,
    )
    .join('')

/** Writes a schema like a TypeScript type. */
function shape(schema: Schema, indent = ''): string {
  const {
    type,
    properties,
    items,
    prefixItems,
    anyOf,
    required = [],
  } = schema as {
    type?: string
    properties?: Record<string, Schema>
    items?: Schema
    prefixItems?: Schema[]
    anyOf?: Schema[]
    required?: string[]
  }
  if (anyOf) return anyOf.map(one => shape(one, indent)).join(' | ')
  if (type === 'array')
    return prefixItems
      ? `[${prefixItems.map(one => shape(one, indent)).join(', ')}]`
      : `${shape(items ?? {}, indent)}[]`
  if (type !== 'object' || !properties) return brief(schema)
  return `{\n${Object.entries(properties)
    .map(
      ([name, value]) =>
        `${indent}  ${name}${required.includes(name) ? '' : '?'}: ${shape(value, `${indent}  `)}`,
    )
    .join('\n')}\n${indent}}`
}

function brief(schema: Schema): string {
  const {
    type,
    enum: values,
    const: only,
    patternProperties,
    minimum,
    maximum,
    minLength,
    maxLength,
  } = schema as {
    type?: string
    enum?: unknown[]
    const?: unknown
    patternProperties?: Record<string, Schema>
    minimum?: number
    maximum?: number
    minLength?: number
    maxLength?: number
  }
  if (values) return values.map(value => JSON.stringify(value)).join(' | ')
  if (only !== undefined) return JSON.stringify(only)
  if (patternProperties)
    return `{ [key]: ${Object.values(patternProperties)
      .map(one => shape(one))
      .join(' | ')} }`
  const bounds = [
    minimum !== undefined && `≥ ${minimum}`,
    maximum !== undefined && `≤ ${maximum}`,
    minLength && `≥ ${minLength} characters`,
    maxLength && `≤ ${maxLength} characters`,
  ]
    .filter(Boolean)
    .join(', ')
  return `${type ?? 'any'}${bounds && ` (${bounds})`}`
}

const text = (value: string): string => value.replace(/[&<>"]/g, char => `&#${char.charCodeAt(0)};`)
