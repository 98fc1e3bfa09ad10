import { readFileSync, writeFileSync } from 'node:fs'
import { privacyBegin, privacyTables } from '../domain/stores/shoppers/privacy-page.ts'

/** Writes the tables of docs/privacy.md again from the code. */
const page = new URL('../docs/privacy.md', import.meta.url)
const [head] = readFileSync(page, 'utf8').split(privacyBegin, 1)
writeFileSync(page, `${head}${privacyBegin}\n\n${privacyTables()}`)
