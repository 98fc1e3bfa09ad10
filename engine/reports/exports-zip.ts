import { Zip, ZipDeflate } from 'fflate'

export type ZipEntry = { name: string; at: Date; parts: AsyncIterable<string> }

/**
 * Yields a ZIP archive of texts in pieces, as the texts arrive. Memory does not grow with their
 * length, and a reader that stops also stops the sources.
 */
export async function* zipParts(entries: ZipEntry[]): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = []
  let failed: Error | null = null
  const zip = new Zip((error, part) => {
    if (error) failed = error
    else ready.push(part)
  })
  const encoder = new TextEncoder()
  const taken = function* (): Generator<Uint8Array> {
    if (failed) throw failed
    yield* ready.splice(0)
  }
  for (const { name, at, parts } of entries) {
    const file = new ZipDeflate(name, { level: 6 })
    file.mtime = at
    zip.add(file)
    for await (const part of parts) {
      file.push(encoder.encode(part))
      yield* taken()
    }
    file.push(new Uint8Array(0), true)
    yield* taken()
  }
  zip.end()
  yield* taken()
}
