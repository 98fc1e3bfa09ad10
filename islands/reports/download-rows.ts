const quote = 0x22,
  lineEnd = 0x0a
/** Counts the records of a CSV file as its bytes arrive. A line end inside quotes is text. */
export function csvRows(): { add: (bytes: Uint8Array) => void; count: () => number } {
  let rows = 0,
    isQuoted = false
  return {
    add: bytes => {
      for (const byte of bytes) {
        if (byte === quote) isQuoted = !isQuoted
        else if (byte === lineEnd && !isQuoted) rows++
      }
    },
    // The first record is the header.
    count: () => Math.max(0, rows - 1),
  }
}

/**
 * How many bytes of a local file header come before its name (APPNOTE 4.3.7), and how many bytes a
 * name of ours has at most.
 */
const headerBytes = 30,
  longestName = 64
const mark = [0x50, 0x4b, 3, 4]

/**
 * Reads an archive as its bytes arrive: says which file is arriving (null before the first), and
 * counts the records of the file that is named `table`.
 */
export function zipRows(table: string): {
  add: (bytes: Uint8Array) => Promise<void>
  file: () => string | null
  count: () => number
} {
  const rows = csvRows()
  let file: string | null = null,
    held = new Uint8Array(0),
    inflating: WritableStreamDefaultWriter<BufferSource> | null = null
  const inflate = (): WritableStreamDefaultWriter<BufferSource> => {
    const { readable, writable } = new DecompressionStream('deflate-raw')
    // The bytes that follow the table in the archive are not part of its stream: they end the
    // reading with an error.
    void readable.pipeTo(new WritableStream({ write: rows.add })).catch(() => {})
    return writable.getWriter()
  }
  const pass = async (bytes: Uint8Array) => {
    try {
      await inflating?.write(new Uint8Array(bytes))
    } catch {
      inflating = null
    }
  }
  return {
    add: async bytes => {
      const all = joined(held, bytes)
      let from = 0
      for (let header = nextHeader(all, 0); header; header = nextHeader(all, from)) {
        await pass(all.subarray(from, header.at))
        inflating = header.name === table ? inflate() : null
        file = header.name
        from = header.data
      }
      // A header may begin in these bytes and end in the next ones.
      const kept = Math.max(from, all.length - headerBytes - longestName)
      await pass(all.subarray(from, kept))
      held = all.slice(kept)
    },
    file: () => file,
    count: rows.count,
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

/**
 * The first whole header, at or after a position, that has a name like a file's. The mark alone is
 * not enough: compressed bytes may contain it.
 */
function nextHeader(
  bytes: Uint8Array,
  from: number,
): { at: number; name: string; data: number } | null {
  for (
    let at = bytes.indexOf(mark[0]!, from);
    at >= 0 && at + headerBytes <= bytes.length;
    at = bytes.indexOf(mark[0]!, at + 1)
  ) {
    if (!mark.every((byte, i) => bytes[at + i] === byte)) continue
    const lengthAt = (offset: number) => bytes[at + offset]! + bytes[at + offset + 1]! * 256
    const [nameLength, extraLength] = [lengthAt(26), lengthAt(28)],
      data = at + headerBytes + nameLength + extraLength
    if (nameLength > longestName || data > bytes.length) continue
    const name = new TextDecoder().decode(
      bytes.subarray(at + headerBytes, at + headerBytes + nameLength),
    )
    if (/^[\w.-]+\.(csv|txt)$/.test(name)) return { at, name, data }
  }
  return null
}
