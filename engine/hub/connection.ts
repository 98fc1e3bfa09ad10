import {
  type HubMessage,
  handshakeRefusal,
  messageType,
  ProtocolError,
  readHandshake,
  readMessage,
  separator,
  writeHandshakeReply,
  writeMessage,
} from './protocol.ts'

/** The part of a WebSocket we use (the ws package has no types of its own). */
export type Socket = {
  readonly bufferedAmount: number
  send: (text: string) => void
  close: (code?: number) => void
  terminate: () => void
  on: ((event: 'message', listener: (data: { toString: () => string }) => void) => unknown) &
    ((event: 'close', listener: () => void) => unknown)
}

/** Milliseconds; SignalR's own. A client pings every 15 s too. */
export type Timing = { handshake: number; keepAlive: number; clientTimeout: number }
export const defaultTiming: Timing = { handshake: 15_000, keepAlive: 15_000, clientTimeout: 30_000 }

/** Characters of one message from a client. */
export const longestMessage = 32 * 1024
/** Bytes that may wait for a client that does not read; beyond, it is dropped and reads the state again when it is back. */
const maxWaiting = 1024 * 1024
/** WebSocket's codes for "protocol error" and "service restart". */
const protocolError = 1002,
  serviceRestart = 1012

/** What clients may call. Answers the completion's result. */
export type HubMethod = (args: unknown[], connection: HubConnection) => unknown

export type HubConnection = {
  send: (message: HubMessage) => void
  /** Ends it for good: the client does not come back by itself. */
  abort: () => void
  /** Ends it because we stop: the client is to come back. */
  restart: () => void
  terminate: () => void
}

export type ConnectionOptions = {
  timing?: Timing | undefined
  methods?: Map<string, HubMethod> | undefined
  onReady?: (connection: HubConnection) => void
  onClosed: (connection: HubConnection) => void
}

/** One client's end: the handshake, pings both ways, the invocations it makes. Several messages may share a frame, and one message several frames. */
export function serveConnection(
  socket: Socket,
  { timing = defaultTiming, methods = new Map(), onReady, onClosed }: ConnectionOptions,
): HubConnection {
  let state: 'handshake' | 'open' | 'closed' = 'handshake'
  let received = ''

  const connection: HubConnection = {
    send: message => {
      if (state !== 'open') return
      if (socket.bufferedAmount > maxWaiting) return end(() => socket.terminate())
      socket.send(writeMessage(message))
    },
    abort: () => closeWith({ type: messageType.close }),
    restart: () =>
      closeWith(
        { type: messageType.close, error: 'The server restarts.', allowReconnect: true },
        serviceRestart,
      ),
    terminate: () => socket.terminate(),
  }

  const timeout = setTimeout(() => refuse('Handshake was canceled.'), timing.handshake)
  const silence = setTimeout(
    () => closeWith({ type: messageType.close, error: 'The client has been silent for too long.' }),
    timing.clientTimeout,
  )
  const pings = setInterval(() => connection.send({ type: messageType.ping }), timing.keepAlive)
  for (const timer of [timeout, silence, pings]) timer.unref()

  socket.on('message', data => {
    if (state === 'closed') return
    silence.refresh()
    const messages = (received + data.toString()).split(separator)
    received = messages.pop()!
    for (const message of messages) take(message)
    if (received.length > longestMessage) tooLong()
  })
  socket.on('close', () => {
    end(() => {})
    onClosed(connection)
  })
  return connection

  function take(text: string): void {
    if (state === 'closed') return
    if (text.length > longestMessage) return tooLong()
    try {
      if (state === 'handshake') return shakeHands(text)
      const message = readMessage(text)
      if (message) answer(message)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      if (state === 'handshake') refuse('An unexpected error occurred during connection handshake.')
      else closeWith({ type: messageType.close, error: error.message }, protocolError)
    }
  }

  function shakeHands(text: string): void {
    const refusal = handshakeRefusal(readHandshake(text))
    if (refusal !== null) return refuse(refusal)
    clearTimeout(timeout)
    state = 'open'
    socket.send(writeHandshakeReply(null))
    onReady?.(connection)
  }

  function answer({ type, invocationId, target = '', arguments: args = [] }: HubMessage): void {
    if (type === messageType.close) return end(() => socket.close())
    if (type !== messageType.invocation && type !== messageType.streamInvocation) return
    const complete = (outcome: { result: unknown } | { error: string }) => {
      if (invocationId !== undefined)
        connection.send({ type: messageType.completion, invocationId, ...outcome })
    }
    const method = type === messageType.invocation ? methods.get(target.toLowerCase()) : undefined
    if (!method) return complete({ error: `Unknown hub method '${target}'` })
    // What it throws at once is caught too.
    Promise.resolve()
      .then(() => method(args, connection))
      .then(
        result => complete({ result: result ?? null }),
        () =>
          complete({ error: `An unexpected error occurred invoking '${target}' on the server.` }),
      )
  }

  function tooLong(): void {
    if (state === 'handshake') refuse('Handshake was canceled.')
    else
      closeWith(
        {
          type: messageType.close,
          error: `A message may have ${longestMessage} characters at most.`,
        },
        protocolError,
      )
  }

  function refuse(error: string): void {
    if (state !== 'handshake') return
    socket.send(writeHandshakeReply(error))
    end(() => socket.close())
  }

  function closeWith(message: HubMessage, code?: number): void {
    // Before the handshake a client understands only its reply.
    if (state === 'open') socket.send(writeMessage(message))
    end(() => socket.close(code))
  }

  function end(how: () => void): void {
    if (state === 'closed') return
    state = 'closed'
    clearTimeout(timeout)
    clearTimeout(silence)
    clearInterval(pings)
    received = ''
    how()
  }
}
