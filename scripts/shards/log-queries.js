// Loaded into a test process (--import) with QUERY_LOG set: writes each different statement that
// the engine sends to Postgres to that folder, with the file that asks and the parameters of a
// call, as lines of JSON. Statements of the tests themselves are left out.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import pg from 'pg'
import utils from 'pg/lib/utils.js'

const folder = process.env['QUERY_LOG']
const file = folder && join(folder, `${process.pid}.jsonl`)
const seen = new Set()

/** A parameter as the driver sends it: text, or bytes in base64. */
const sent = value => {
  const prepared = utils.prepareValue(value)
  return Buffer.isBuffer(prepared) ? { base64: prepared.toString('base64') } : prepared
}

/** The nearest file of ours that asks, without the driver's own; null when a test asks. */
function askedBy() {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 80
  const { stack = '' } = new Error('where')
  Error.stackTraceLimit = limit
  for (const [, path] of stack.matchAll(/\/((?:engine|test|bench|scripts)\/[\w/.-]+\.ts)\b/g))
    if (!/^engine\/db\/(lost|raw|connection)\.ts$/.test(path))
      return path.startsWith('engine/') ? path : null
  return null
}

if (file) {
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (config, values, ...rest) {
    const text = typeof config === 'string' ? config : config?.text
    const given = Array.isArray(values) ? values : (config?.values ?? [])
    // Many tests ask with lists without elements first; a later call says more.
    const isFull = given.every(value => !Array.isArray(value) || value.length > 0)
    const key = `${isFull} ${text}`
    if (typeof text === 'string' && !seen.has(key) && !seen.has(`true ${text}`)) {
      const from = askedBy()
      if (from !== null) {
        seen.add(key)
        appendFileSync(file, `${JSON.stringify({ text, from, values: given.map(sent), isFull })}\n`)
      }
    }
    return query.call(this, config, values, ...rest)
  }
}
