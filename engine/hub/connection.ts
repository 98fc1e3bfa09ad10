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

/** The part of a WebSocket that we use (the ws package ships no types). */
export type Socket = {
  readonly bufferedAmount: number
  send: (text: string) => void
  close: (code?: number) => void
  terminate: () => void
  on: ((event: 'message', listener: (data: { toString: () => string }) => void) => unknown) &
    ((event: 'close', listener: () => void) => unknown)
}

/** Milliseconds, SignalR's own values. A client also pings every 15 s. */
export type Timing = { handshake: number; keepAlive: number; clientTimeout: number }
export const defaultTiming: Timing = { handshake: 15_000, keepAlive: 15_000, clientTimeout: 30_000 }

/** Maximum number of characters of one message from a client. */
export const longestMessage = 32 * 1024
/**
 * Maximum number of bytes that may wait for a client that does not read. Beyond that we disconnect
 * it; it reads the state again after it has reconnected.
 */
const maxWaiting = 1024 * 1024
/** WebSocket's codes for "protocol error" and "service restart". */
const protocolError = 1002,
  serviceRestart = 1012

/** A method that clients may call. Its return value is the result of the completion. */
export type HubMethod = (args: unknown[], connection: HubConnection) => unknown

export type HubConnection = {
  send: (message: HubMessage) => void
  /** Ends the connection for good: the client does not reconnect automatically. */
  abort: () => void
  /** Ends the connection because we stop: the client should reconnect. */
  restart: () => void
  terminate: () => void
}

export type ConnectionOptions = {
  timing?: Timing | undefined
  methods?: Map<string, HubMethod> | undefined
  onReady?: (connection: HubConnection) => void
  onClosed: (connection: HubConnection) => void
}

/**
 * Serves one client: the handshake, pings in both directions, and the client's invocations. A frame
 * may hold several messages, and a message may span several frames.
 */
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
    // This also catches what the method throws synchronously.
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
    // Before the handshake a client only understands the handshake's reply.
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
