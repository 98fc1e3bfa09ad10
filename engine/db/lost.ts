import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { fairTurns } from '../../domain/fair-turns.ts'
import { StoreBusy } from './busy.ts'

/**
 * The database cannot be reached, or its connection broke. The statement itself is fine and may be
 * tried again.
 */
export class DatabaseLost extends Error {
  constructor(cause: unknown) {
    super(
      `The database does not answer: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  }
}

/**
 * SQLSTATE: connections (08), no room for another one (53300), and a server that stops, has crashed
 * or is starting (57P0x).
 */
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
/** Messages of pg about a connection that it lost or did not get; they have no code. */
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

/**
 * Milliseconds that each statement of the work inside may take. Postgres then cancels the statement
 * (57014).
 */
export const statementLimit = new AsyncLocalStorage<number>()

/**
 * A statement of a transaction that is run inside is its last one: the commit is sent together with
 * it and not after its answer. Another statement of the same transaction would then be refused.
 */
export const isLastStatement = new AsyncLocalStorage<true>()

const isBegin = (text: string): boolean => /^(begin|start transaction)\b/.test(text)
const isEnd = (text: string): boolean => text === 'commit' || text === 'rollback'

type Answer = Pick<pg.QueryResult, 'command' | 'rows' | 'rowCount'>
const answer = (command: string): Answer => ({ command, rows: [], rowCount: null })

/**
 * Runs statements with the current `statementLimit`. It is set in each transaction: behind a
 * pooler, a setting of the connection would also apply to another client. A statement outside a
 * transaction gets its own transaction.
 *
 * What needs no answer waits for none: a transaction begins together with its first statement, and
 * may end with its last one (`isLastStatement`). Under load this process reads an answer only
 * several milliseconds after it came. The client sends statements without waiting (`pipeline`).
 */
function limited(client: pg.PoolClient): (text: string, values: unknown[]) => Promise<Answer> {
  let isOpen = false,
    unsentBegin: string | null = null,
    ended: Answer | null = null
  const limitedBegin = (text: string) => {
    const limit = statementLimit.getStore()
    return limit === undefined ? text : `${text}; set local statement_timeout = ${limit}`
  }
  const takeBegin = (): Promise<Answer>[] => {
    const begin = unsentBegin
    unsentBegin = null
    return begin === null ? [] : [client.query(begin)]
  }
  const end = async (text: string): Promise<Answer> => {
    isOpen = false
    const before = ended
    ended = null
    if (before) return before
    if (unsentBegin === null) return client.query(text)
    // Nothing was sent, so there is nothing to end.
    unsentBegin = null
    return answer(text.toUpperCase())
  }
  return async (text, values) => {
    if (isBegin(text)) {
      isOpen = true
      unsentBegin = limitedBegin(text)
      return answer('BEGIN')
    }
    if (isEnd(text)) return end(text)
    if (ended) throw new Error('This transaction has sent its last statement.')
    if (isOpen && !isLastStatement.getStore())
      return (await all([...takeBegin(), client.query(text, values)])).at(-1)!
    if (!isOpen && statementLimit.getStore() === undefined) return client.query(text, values)
    const begin = isOpen ? takeBegin() : [client.query(limitedBegin('begin'))],
      // If the statement fails, Postgres rolls back here.
      sent = all([...begin, client.query(text, values), client.query('commit')])
    if (!isOpen) return (await sent).at(-2)!
    ended = answer('ROLLBACK')
    const [result, commit] = (await sent).slice(-2)
    ended = commit!
    return result!
  }
}

/** Waits for all answers, so that none is still on its way when the connection is given back. */
async function all<T>(answers: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(answers)
  return Promise.all(answers)
}

/**
 * The shop whose calls and webhooks run inside. Those of one shop take at most half of the pool's
 * connections, and fewer while several shops want many (domain/fair-turns.ts): no shop keeps the
 * others from the database. Jobs have their own limits (domain/jobs/job-lane.ts).
 */
export const shopOfWork = new AsyncLocalStorage<string>()
/** Longest wait for a shop's turn if the pool has no timeout, in milliseconds. */
const usualTimeout = 5_000

/**
 * Wraps the pool for Kysely: turns errors that mean a lost connection into `DatabaseLost`. Only
 * this place can tell, because a shop or a mail server that refuses a connection fails with the
 * same codes. It also gives each shop its share of the connections (`shopOfWork`): who waits for
 * a turn as long as for a connection gets `StoreBusy`.
 */
export function tellingLoss(pool: pg.Pool): PostgresPool {
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  const ends = new WeakMap<pg.PoolClient, () => void>()
  const { max } = pool.options
  const turns = fairTurns({ all: max, each: max })
  const clientOf = (client: pg.PoolClient): PostgresPoolClient => {
    let own = known.get(client)
    if (own) return own
    const ask = limited(client)
    // Kysely only calls this with text and values. It uses cursors for streams, which we never use.
    const query = ((text: string, values: unknown[]) =>
      ask(text, values).catch(told)) as unknown as PostgresPoolClient['query']
    const release = (destroy?: boolean) => {
      ends.get(client)?.()
      ends.delete(client)
      client.release(destroy)
    }
    known.set(client, (own = { query, release }))
    return own
  }
  const turnOf = (shop: string): Promise<() => void> =>
    turns
      .take(shop, AbortSignal.timeout(pool.options.connectionTimeoutMillis ?? usualTimeout))
      .catch((cause: unknown) => {
        throw new StoreBusy({ cause })
      })
  return {
    connect: async () => {
      const shop = shopOfWork.getStore(),
        end = shop === undefined ? null : await turnOf(shop)
      try {
        const client = await pool.connect().catch(told)
        if (end) ends.set(client, end)
        return clientOf(client)
      } catch (error) {
        end?.()
        throw error
      }
    },
    end: () => pool.end(),
    options: pool.options,
  }
}

/**
 * Milliseconds between attempts while the database cannot be reached, and between log lines about
 * it.
 */
const again = 500,
  toldEvery = 10_000

/**
 * Runs the work, and runs it again until the database answers. Logs that it waits. Any other error
 * is thrown at once.
 */
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
