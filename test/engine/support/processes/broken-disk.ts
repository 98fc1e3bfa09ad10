import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { openDb } from '../../../../engine/db/connection.ts'

// A process whose disk fails: one more transaction succeeds, then every fsync throws.
const fsync = fs.fsyncSync
let isBroken = false
fs.fsyncSync = descriptor => {
  if (isBroken) throw new Error('EIO: i/o error, fsync')
  fsync(descriptor)
}
syncBuiltinESMExports()

const { pglite } = await openDb({ dataDir: process.argv[2]! })
for (const id of [5, 6]) {
  await pglite!.query('insert into kept values ($1)', [id])
  console.log(`acknowledged ${id}`)
  isBroken = true
}
