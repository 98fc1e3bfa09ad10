import { protocol } from '@electric-sql/pglite'

const { messages, Parser } = protocol
type Parser = InstanceType<typeof Parser>
type Parse = Parser['parse']

/** First byte of a message that is a row, and the bytes before any message's content. */
const dataRow = 0x44,
  head = 5

/**
 * Makes every PGlite of this process read the rows of an answer itself. PGlite's own reader copies
 * the bytes of each field before it decodes them, which takes about as long as a short statement's
 * work (decision 102). All other messages are still read by PGlite. Returns a function that gives
 * PGlite its own reader back.
 */
export function readRowsAtOnce(): () => void {
  Parser.prototype.parse = parse
  return () => {
    Parser.prototype.parse = own
  }
}

const own: Parse = Parser.prototype.parse
/**
 * The beginning of a message whose end has not come yet: the database sends 8 kB at a time.
 * `needed`: the bytes of the whole message, as far as they are known.
 */
type Rest = { pieces: Buffer[]; size: number; needed: number }
const rests = new WeakMap<Parser, Rest>()

/** Passes every message that is whole now to `tell`, and keeps the rest for the next call. */
function parse(this: Parser, ...[chunk, tell]: Parameters<Parse>): void {
  let data = ArrayBuffer.isView(chunk)
    ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    : Buffer.from(chunk)
  const rest = rests.get(this)
  if (rest) {
    rest.pieces.push(Buffer.from(data))
    rest.size += data.length
    if (rest.size < rest.needed) return
    data = Buffer.concat(rest.pieces)
    rests.delete(this)
  }
  let at = 0,
    needed = head
  while (at + head <= data.length) {
    const length = data.readUInt32BE(at + 1),
      end = at + 1 + length
    needed = end - at
    if (end > data.length) break
    if (data[at] === dataRow) tell(rowAt(data, at, length))
    else own.call(this, data.subarray(at, end), tell)
    at = end
    needed = head
  }
  // A copy, because the database uses its memory again.
  const left = Buffer.from(data.subarray(at))
  if (left.length > 0) rests.set(this, { pieces: [left], size: left.length, needed })
}

/** The row in the message that begins at `at`. Its length counts all bytes but the first. */
function rowAt(data: Buffer, at: number, length: number) {
  const fields: (string | null)[] = []
  let from = at + head + 2
  for (let left = data.readInt16BE(at + head); left > 0; left--) {
    const begin = from + 4,
      size = data.readInt32BE(from)
    // A null has the size -1 and no bytes.
    from = begin + Math.max(size, 0)
    fields.push(size < 0 ? null : data.toString('utf8', begin, from))
  }
  return new messages.DataRowMessage(length, fields)
}
