import type { PGlite } from '@electric-sql/pglite'

type Messages = Awaited<ReturnType<PGlite['execProtocolStream']>>
type Options = Parameters<PGlite['execProtocolStream']>[1]
/**
 * A prepared statement. `parameters` and `columns`: the database's answers to the questions about
 * them.
 */
type Prepared = {
  name: Buffer
  parameters?: Messages
  columns?: Messages
  uses: number
  since: number
}

/** Maximum number of prepared statements, and of texts that are remembered after they came once. */
const maxStatements = 300
/**
 * How often, and for how many milliseconds, one preparation is used. The database keeps the plan
 * that suits the sizes which tables had, and nothing tells it that they have grown: a plan for an
 * empty table reads all of it.
 */
const usual = { uses: 50, age: 10_000 }
/** First bytes of the protocol's messages. */
const letters = { parse: 0x50, bind: 0x42, describe: 0x44, execute: 0x45, sync: 0x53, query: 0x51 }
/** What a message closes or describes: a statement. */
const ofStatement = 0x53

const isPrepared = /^\s*(select|with|insert|update|delete)\b/i
/**
 * After these, prepared statements still have the same columns. Not after a rollback, which may
 * undo a definition.
 */
const keepsColumns =
  /^\s*(begin|commit|savepoint|release|set|show|lock|explain|analyze|checkpoint|declare|fetch|move|close)\b[^;]*;?\s*\0?$/i

/**
 * Makes this PGlite prepare a statement when it comes for the second time, and use it from then on.
 * PGlite itself sends the text of each statement every time, in six messages. The database then
 * parses and plans it again, which takes longer than running it. Answers and errors stay the same
 * (decision 099).
 *
 * PGlite calls `execProtocolStream` with one message after another: parse, describe the statement,
 * bind, describe the columns, execute, sync. It begins no statement before the sync of the last.
 */
export function prepareStatements(pglite: PGlite, { uses, age } = usual): void {
  const send = pglite.execProtocolStream.bind(pglite)
  const seen = new Set<string>(),
    prepared = new Map<string, Prepared>()
  let made = 0
  /** The statement that PGlite is sending, its bind message until it is sent, and its end. */
  let current: Prepared | undefined,
    bind: Buffer | undefined,
    isSynced = false

  async function parse(message: Buffer, options: Options): Promise<Messages> {
    const text = message.toString('utf8', 6, message.indexOf(0, 6))
    current = prepared.get(text)
    if (current && (current.uses >= uses || Date.now() - current.since > age)) {
      await forget(text)
      seen.add(text)
      current = undefined
    }
    if (current) {
      current.uses++
      // The first one in the map is the one that has not been used for longest.
      prepared.delete(text)
      prepared.set(text, current)
      return []
    }
    if (!isPrepared.test(text)) {
      if (!keepsColumns.test(text)) await forgetAll()
      return send(message, options)
    }
    if (!seen.delete(text)) {
      seen.add(text)
      const [oldest] = seen
      if (seen.size > maxStatements) seen.delete(oldest!)
      return send(message, options)
    }
    const name = Buffer.from(`prepared_${made++}`)
    const answer = await send(withName(message, 5, name), options)
    current = { name, uses: 1, since: Date.now() }
    prepared.set(text, current)
    const [oldest] = prepared.keys()
    if (prepared.size > maxStatements) await forget(oldest!)
    return answer
  }

  async function forget(text: string): Promise<void> {
    const { name } = prepared.get(text)!
    prepared.delete(text)
    await send(withName(closeMessage, 6, name))
  }

  async function forgetAll(): Promise<void> {
    for (const text of prepared.keys()) await forget(text)
  }

  async function describe(message: Buffer, options: Options): Promise<Messages> {
    if (!current) return send(message, options)
    if (message[5] === ofStatement)
      return (current.parameters ??= await send(withName(message, 6, current.name), options))
    if (current.columns) return current.columns
    const bound = await send(bind!, options)
    bind = undefined
    current.columns = await send(message, options)
    return [...bound, ...current.columns]
  }

  async function execute(message: Buffer, options: Options): Promise<Messages> {
    if (!bind) return send(message, options)
    const all = Buffer.concat([bind, message, syncMessage])
    bind = undefined
    isSynced = true
    return send(all, options)
  }

  async function sync(message: Buffer, options: Options): Promise<Messages> {
    const wasSynced = isSynced
    current = bind = undefined
    isSynced = false
    return wasSynced ? [] : send(message, options)
  }

  pglite.execProtocolStream = async (given, options) => {
    const message = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
    switch (message[0]) {
      case letters.parse:
        return parse(message, options)
      case letters.describe:
        return describe(message, options)
      case letters.bind:
        if (!current) return send(message, options)
        bind = withName(message, 6, current.name)
        return []
      case letters.execute:
        return execute(message, options)
      case letters.sync:
        return sync(message, options)
      case letters.query:
        if (!keepsColumns.test(message.toString('utf8', 5))) await forgetAll()
    }
    return send(message, options)
  }
}

const syncMessage = Buffer.from([letters.sync, 0, 0, 0, 4])
const closeMessage = Buffer.from([0x43, 0, 0, 0, 6, ofStatement, 0])

/** The message with this name of a statement at `at`, where it has an empty one. */
function withName(message: Buffer, at: number, name: Buffer): Buffer {
  const whole = Buffer.concat([message.subarray(0, at), name, message.subarray(at)])
  whole.writeInt32BE(whole.length - 1, 1)
  return whole
}
