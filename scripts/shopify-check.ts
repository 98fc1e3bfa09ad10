import { shopifyProblems } from './shopify/problems.ts'

// `npm run shopify:check`: checks what we deploy to Shopify, without network.
process.chdir(new URL('..', import.meta.url).pathname)
const problems = await shopifyProblems()
for (const problem of problems) console.error(problem)
console.log(problems.length === 0 ? 'Nothing is wrong.' : `${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1
