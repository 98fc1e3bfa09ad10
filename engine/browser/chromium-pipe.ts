import type { Readable, Writable } from 'node:stream'
import type { ConnectionTransport } from 'puppeteer-core'

/**
 * Bytes that a browser may send in one message, and for one page. A picture takes one or two
 * million.
 */
const maxInMessage = 16_000_000,
  maxForPage = 64_000_000

export type Pipe = ConnectionTransport & {
  /** Begins another page: its bytes are counted from zero. */
  nextPage: () => void
}

/**
 * Matches service and shared workers. They outlive their page or serve several pages, so a page's
 * rules never see their requests.
 */
const lastingWorkers = /^\{"method":"Target\.attachedToTarget"[^]*"type":"(service|shared)_worker"/
/** The ids of our own messages begin here. The driver (puppeteer) counts its ids from one. */
const ownIds = 2 ** 30,
  isAnswerToUs = /^\{"id":1[0-9]{9},/

/**
 * The browser's two pipes: JSON messages, each followed by a NUL byte. A page can make messages of
 * any length, so there are limits. Beyond them, the pipe calls `onExcess` once and reads no more.
 */
export function openPipe(input: Writable, output: Readable, onExcess: () => void): Pipe {
  let parts: Buffer[] = [],
    inMessage = 0,
    forPage = 0,
    closed = 0
  // A new worker waits until the driver lets it run. The driver never gets this message, so the
  // worker is closed before its first line runs.
  const closeWorker = (message: string): void => {
    const { params } = JSON.parse(message) as { params: { targetInfo: { targetId: string } } }
    const { targetId } = params.targetInfo
    pipe.send(
      JSON.stringify({ id: ownIds + closed++, method: 'Target.closeTarget', params: { targetId } }),
    )
  }
  const pipe: Pipe = {
    nextPage: () => {
      forPage = 0
    },
    send: message => void input.write(`${message}\0`),
    close: () => {
      output.destroy()
      input.destroy()
    },
  }
  const take = (chunk: Buffer): void => {
    let from = 0
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, from)) {
      const message = Buffer.concat([...parts, chunk.subarray(from, at)]).toString()
      parts = []
      inMessage = 0
      from = at + 1
      if (lastingWorkers.test(message.slice(0, 2_000))) closeWorker(message)
      else if (!isAnswerToUs.test(message)) pipe.onmessage?.(message)
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
    inMessage += chunk.length - from
    forPage += chunk.length
    if (inMessage <= maxInMessage && forPage <= maxForPage) return
    parts = []
    output.off('data', take)
    output.destroy()
    onExcess()
  }
  output.on('data', take)
  output.once('close', () => pipe.onclose?.())
  // A pipe breaks when the browser ends. The close event reports that.
  input.on('error', () => {})
  output.on('error', () => {})
  return pipe
}
