// Loads one module in a changed form, for `npm run mutants`: MUTANT_URL names it, MUTANT_FILE holds it. Child processes inherit both.
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
