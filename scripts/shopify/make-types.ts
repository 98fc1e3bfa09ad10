import { writeFileSync } from 'node:fs'
import { madeFiles } from './documents.ts'

// `npm run shopify:types`: makes the adapter's types, texts and shapes of answers from its GraphQL
// documents. A test fails when a document has changed since.
const made = Object.entries(await madeFiles())
for (const [file, text] of made) writeFileSync(file, text)
console.log(`${made.length} files made`)
