import { minute } from '../../domain/time-units.ts'
import { csvRows, zipRows } from './download-rows.ts'

/**
 * How far a download is. `rows`: how many rows of the table of orders have arrived. `file`: the
 * file of an archive that is arriving.
 */
export type Progress = { bytes: number; rows: number; file: string | null }
/** A download that failed; the message is for a person. */
export class DownloadProblem extends Error {}

/**
 * Fetches a file and gives it to the browser to save under the server's name for it. Throws
 * DownloadProblem, or the reason with which the signal was aborted. Returns false when the answer
 * was not a file: then the browser opens what the server says instead. `watch` gets a function that
 * returns the progress at any moment.
 */
export async function download(
  href: string,
  signal: AbortSignal,
  watch: (progress: () => Progress) => void,
): Promise<boolean> {
  const response = await fetch(href, { signal }).catch(broken(signal))
  if (!response.ok)
    throw new DownloadProblem(
      response.status === 404
        ? 'This test no longer exists.'
        : 'Twinshelf could not make the file. Try again in a moment.',
    )
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  if (!name || !response.body) {
    // The answer is not a file; the session is over, for example.
    location.assign(href)
    return false
  }
  const blob = await new Response(response.body.pipeThrough(watched(name, watch)), {
    headers: { 'content-type': response.headers.get('content-type') ?? '' },
  })
    .blob()
    .catch(broken(signal))
  save(blob, name)
  return true
}

function broken(signal: AbortSignal): () => never {
  return () => {
    signal.throwIfAborted()
    throw new DownloadProblem('The connection was lost, and nothing was saved.')
  }
}

/** Passes all bytes on and counts them. */
function watched(
  name: string,
  watch: (progress: () => Progress) => void,
): TransformStream<Uint8Array, Uint8Array> {
  const zip = name.endsWith('.zip') ? zipRows('orders.csv') : null,
    csv = csvRows()
  let bytes = 0
  // An archive's rows are counted a little after its bytes.
  watch(() => ({ bytes, rows: (zip ?? csv).count(), file: zip?.file() ?? null }))
  return new TransformStream({
    transform: async (chunk, controller) => {
      controller.enqueue(chunk)
      bytes += chunk.length
      if (zip) await zip.add(chunk)
      else csv.add(chunk)
    },
  })
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a'),
    url = URL.createObjectURL(blob)
  link.href = url
  link.download = name
  link.click()
  // The browser reads the blob after the click.
  setTimeout(() => URL.revokeObjectURL(url), minute)
}
