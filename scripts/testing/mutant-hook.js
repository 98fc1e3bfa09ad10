// For `npm run mutants`: loads one module with a fault. MUTANT_URL names the module, MUTANT_FILE
// has its changed source. Child processes inherit both.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const { MUTANT_URL: mutated, MUTANT_FILE: file } = process.env
if (mutated && file) {
  registerHooks({
    load: (url, context, next) =>
      url === mutated
        ? { ...next(url, context), source: readFileSync(file, 'utf8') }
        : next(url, context),
  })
}
