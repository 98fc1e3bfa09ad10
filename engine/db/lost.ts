import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'

/** The database is away, or the connection to it broke: nothing is wrong with what was asked, and asking again will do. */
export class DatabaseLost extends Error {
  constructor(cause: unknown) {
    super(
      `The database does not answer: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  }
}

/** SQLSTATE: connections (08), no room for another one (53300), and a server that stops, has crashed or is starting (57P0x). */
const lostStates = /^(08...|53300|57P0[123])$/
const lostSystemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
])
/** What pg says of a connection that it has lost or did not get, without a code. */
const lostWords =
  /^Connection terminated|is not queryable$|^timeout exceeded when trying to connect$/

function isLost(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return (
    lostStates.test(String(code)) ||
    lostSystemCodes.has(String(code)) ||
    lostWords.test(String(message))
  )
}

const told = (error: unknown): never => {
  throw isLost(error) ? new DatabaseLost(error) : error
}

/** Milliseconds that each statement of what is run in it may take; Postgres stops it then (57014). */
export const statementLimit = new AsyncLocalStorage<number>()

const isBegin = (text: string): boolean => /^(begin|start transaction)\b/.test(text)
const isEnd = (text: string): boolean => text === 'commit' || text === 'rollback'

/**
 * Statements under the limit that holds here, which is set within each transaction: behind a pooler a setting of the
 * connection's own would be another client's. A statement outside of one is given one of its own.
 */
function limited(client: pg.PoolClient): (text: string, values: unknown[]) => Promise<unknown> {
  let isOpen = false
  const begin = (text: string, limit: number) =>
    client.query(`${text}; set local statement_timeout = ${limit}`)
  return async (text, values) => {
    const limit = statementLimit.getStore()
    if (isBegin(text)) {
      isOpen = true
      return limit === undefined ? client.query(text, values) : begin(text, limit)
    }
    if (isEnd(text)) isOpen = false
    if (isOpen || isEnd(text) || limit === undefined) return client.query(text, values)
    await begin('begin', limit)
    const result = await client.query(text, values).catch(async (error: unknown) => {
      await client.query('rollback').catch(() => {})
      throw error
    })
    await client.query('commit')
    return result
  }
}

/**
 * The pool as Kysely uses it: an error that means a lost connection is a `DatabaseLost`. Told here and nowhere else,
 * since a shop or a mail server that refuses a connection fails with the same codes.
 */
export function tellingLoss(pool: pg.Pool): PostgresPool {
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  const clientOf = (client: pg.PoolClient): PostgresPoolClient => {
    let own = known.get(client)
    if (own) return own
    const ask = limited(client)
    // Kysely asks by text and values alone: cursors are for its streams, which nobody uses here.
    const query = ((text: string, values: unknown[]) =>
      ask(text, values).catch(told)) as unknown as PostgresPoolClient['query']
    known.set(client, (own = { query, release: destroy => client.release(destroy) }))
    return own
  }
  return {
    connect: async () => clientOf(await pool.connect().catch(told)),
    end: () => pool.end(),
    options: pool.options,
  }
}

/** Milliseconds between attempts while the database is away, and between lines in the log about it. */
const again = 500,
  toldEvery = 10_000

/** Does this as soon as the database answers, and says that it waits. What fails for another reason fails at once. */
export async function whenItAnswers<T>(work: () => Promise<T>, log: FastifyBaseLogger): Promise<T> {
  const began = performance.now()
  for (let toldAt = -Infinity; ;) {
    try {
      const result = await work()
      if (toldAt > 0)
        log.warn(
          `The database answers again after ${Math.round((performance.now() - began) / 1000)} s.`,
        )
      return result
    } catch (error) {
      if (!(error instanceof DatabaseLost)) throw error
      if (performance.now() - toldAt >= toldEvery) {
        log.warn(
          { err: error },
          'The database does not answer. The start waits for it and tries again.',
        )
        toldAt = performance.now()
      }
      await setTimeout(again)
    }
  }
}
