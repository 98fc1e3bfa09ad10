import type { Readable, Writable } from 'node:stream'
import type { ConnectionTransport } from 'puppeteer-core'

/** Bytes that a browser may send in one message, and for one page. A picture takes one or two million. */
const maxInMessage = 16_000_000,
  maxForPage = 64_000_000

export type Pipe = ConnectionTransport & {
  /** From here on is another page, with a count of its own. */
  nextPage: () => void
}

/** Workers that outlive their page or are shared by several: what they ask for, a page's rules never see. */
const lastingWorkers = /^\{"method":"Target\.attachedToTarget"[^]*"type":"(service|shared)_worker"/
/** Of messages that are ours; the driver counts its own from one. */
const ownIds = 2 ** 30,
  isAnswerToUs = /^\{"id":1[0-9]{9},/

/**
 * The browser's two pipes: JSON messages, each closed by a NUL. What comes through them a page can make as long as it
 * likes, so it is never kept beyond the limits: then `onExcess` is told, once, and nothing more is read.
 */
export function openPipe(input: Writable, output: Readable, onExcess: () => void): Pipe {
  let parts: Buffer[] = [],
    inMessage = 0,
    forPage = 0,
    closed = 0
  // A worker waits until the driver lets it run. The driver never hears of this one, so it is closed before its first line.
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
  // A pipe that breaks is the browser's end, which its closing tells about.
  input.on('error', () => {})
  output.on('error', () => {})
  return pipe
}
