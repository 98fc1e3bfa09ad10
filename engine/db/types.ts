import type { Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.ts'

/** An open transaction. */
export type Trx = Transaction<Schema>
/** Anything that can read: the database, or an open transaction. */
export type Reader = Kysely<Schema> | Trx
