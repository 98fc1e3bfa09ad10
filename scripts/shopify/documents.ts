import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { codegen } from '@graphql-codegen/core'
import * as operationTypes from '@graphql-codegen/typescript-operations'
import {
  buildSchema,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  visit,
} from 'graphql'
import { answerShape } from './answer-shapes.ts'
import { adminSchema, withUnconfirmed } from './admin-schema.ts'
import { prunedSchema } from './pruned-schema.ts'

export const documentsFolder = 'engine/platform/shopify/documents'

/** How the scalars of the API come as JSON. A new one fails the generator until it is here. */
const scalars = {
  ID: 'string',
  DateTime: 'string',
  Money: 'string',
  Decimal: 'string',
  URL: 'string',
  UnsignedInt64: 'string',
  JSON: 'unknown',
}

export type OurDocument = { file: string; node: DocumentNode }

/** Every document of the adapter, by file. */
export const ourDocuments = (): OurDocument[] =>
  globSync(`${documentsFolder}/*.graphql`)
    .sort()
    .map(file => ({ file, node: parse(readFileSync(file, 'utf8'), { noLocation: true }) }))

/** The published schema, with what only the documents of rollouts need. */
export function ourSchema(): ReturnType<typeof adminSchema> {
  const { schema, scopesOf } = adminSchema()
  const extension = readFileSync(`${documentsFolder}/unconfirmed.graphqls`, 'utf8')
  return { schema: withUnconfirmed(schema, extension), scopesOf }
}

/** The files that are made from the documents, by path. */
export async function madeFiles(): Promise<Record<string, string>> {
  const { schema } = ourSchema(),
    documents = ourDocuments()
  const pruned = prunedSchema(
    schema,
    documents.map(({ node }) => node),
  )
  const small = buildSchema(pruned)
  const made: Record<string, string> = {
    [`${documentsFolder}/schema.graphqls`]: `# The part of the Admin API that our documents use. Made by npm run shopify:types.\n${pruned}`,
  }
  for (const one of documents)
    made[one.file.replace(/\.graphql$/, '.ts')] = await moduleOf(small, one)
  return made
}

async function moduleOf(schema: GraphQLSchema, { file, node }: OurDocument): Promise<string> {
  // What is text to us: pruned-schema.ts.
  const texts = Object.values(schema.getTypeMap())
    .filter(type => isScalarType(type) && type.name.endsWith('Code'))
    .map(type => [type.name, 'string'])
  const types = await codegen({
    schema: parse('type Query { nothing: Boolean }'),
    schemaAst: schema,
    filename: file,
    documents: [{ location: file, document: node }],
    plugins: [{ types: {} }],
    pluginMap: { types: operationTypes },
    config: {
      scalars: { ...scalars, ...Object.fromEntries(texts) },
      strictScalars: true,
      skipTypename: true,
      enumType: 'string-literal',
      arrayInputCoercion: false,
    },
  })
  const fragments = new Map(
    node.definitions
      .filter((one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION)
      .map(one => [one.name.value, one]),
  )
  const operations = node.definitions.filter(
    (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION,
  )
  const constants = operations.map(operation => {
    const name = operation.name!.value
    const kind = operation.operation === 'query' ? 'Query' : 'Mutation'
    return [
      `export const ${name[0]!.toLowerCase()}${name.slice(1)}: ShopifyDocument<${name}${kind}, ${name}${kind}Variables> = {`,
      `  name: '${name}',`,
      `  kind: '${operation.operation}',`,
      `  text: ${JSON.stringify(textOf(operation, fragments))},`,
      `  shape: ${JSON.stringify(answerShape(schema, operation, fragments))},`,
      '}',
    ].join('\n')
  })
  return [
    `// Made from ${basename(file)} by npm run shopify:types. Do not edit.`,
    "import type { ShopifyDocument } from './answer-shape.ts'",
    '',
    types.trim(),
    '',
    ...constants,
    '',
  ].join('\n')
}

/** The operation with the fragments that it uses, without line breaks. */
function textOf(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): string {
  const used = new Set<string>()
  const collect = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread({ name }) {
        if (used.has(name.value)) return
        used.add(name.value)
        collect(fragments.get(name.value)!)
      },
    })
  }
  collect(operation)
  return [operation, ...[...used].map(name => fragments.get(name)!)]
    .map(print)
    .join(' ')
    .replace(/\s+/g, ' ')
}
