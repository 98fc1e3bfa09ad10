import t from 'tap'
import { validate } from 'graphql'
import { madeFiles, ourDocuments, ourSchema } from '../../../../scripts/shopify/documents.ts'
import { neededScopes } from '../../../../scripts/shopify/needed-scopes.ts'
import {
  optionalScopes,
  scopesByHand,
  shopifyScopes,
} from '../../../../engine/platform/shopify/scopes.ts'
import { text } from '../../../house/tree.ts'

const { schema, scopesOf } = ourSchema()
const documents = ourDocuments()

t.test('every document validates against the published schema', async t => {
  t.ok(documents.length > 10)
  for (const { file, node } of documents)
    t.same(
      validate(schema, node).map(({ message }) => message),
      [],
      file,
    )
})

t.test('the texts, types and shapes are made from the documents as they are', async t => {
  for (const [file, made] of Object.entries(await madeFiles()))
    t.equal(text(file), made, `${file}: npm run shopify:types`)
})

t.test('the scopes asked for are exactly those that the documents need', async t => {
  const asked = [...Object.keys(shopifyScopes), ...Object.keys(optionalScopes)]
  const used = new Set<string>()
  const needs = documents.flatMap(({ node }) => neededScopes(schema, scopesOf, node))
  t.ok(needs.length > 20)
  for (const { field, anyOf } of needs) {
    if (anyOf.length === 0) continue
    // Any of them is enough, and a scope to write also reads.
    const given = asked.filter(scope =>
      anyOf.some(one => one === scope || one === scope.replace(/^write_/, 'read_')),
    )
    t.ok(given.length > 0, `${field} needs ${anyOf.join(' or ')}`)
    for (const scope of given) used.add(scope)
  }
  const roots = new Set(needs.map(({ root }) => root).filter(Boolean))
  for (const { operation, scope } of scopesByHand) {
    t.ok(roots.has(operation), `${operation} is in a document`)
    t.ok(asked.includes(scope), `${operation}: ${scope}`)
    used.add(scope)
  }
  t.same(
    asked.filter(scope => !used.has(scope)),
    [],
    'no scope without a use',
  )
})
