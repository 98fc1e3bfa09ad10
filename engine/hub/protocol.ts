/**
 * SignalR's hub protocol in JSON, version 1: the form of a message, and the errors for malformed
 * ones.
 */

export const separator = '\x1e'
export const messageType = {
  invocation: 1,
  streamItem: 2,
  completion: 3,
  streamInvocation: 4,
  cancel: 5,
  ping: 6,
  close: 7,
  ack: 8,
  sequence: 9,
} as const

export type HubMessage = {
  type: number
  headers?: Record<string, string>
  /** Without an id, the client does not wait for an answer, and we must not send one. */
  invocationId?: string
  target?: string
  arguments?: unknown[]
  streamIds?: string[]
  item?: unknown
  result?: unknown
  error?: string
  allowReconnect?: boolean
  sequenceId?: number
}

/** The client sent something that is no message of the protocol. The connection ends. */
export class ProtocolError extends Error {}

// `item` and `result` may be anything, including null.
const kinds = {
  headers: 'Object',
  invocationId: 'String',
  target: 'String',
  arguments: 'Array',
  streamIds: 'Array',
  item: null,
  result: null,
  error: 'String',
  allowReconnect: 'Boolean',
  sequenceId: 'Integer',
} as const
type Property = keyof typeof kinds
const required: Record<number, Property[]> = {
  1: ['target', 'arguments'],
  2: ['invocationId', 'item'],
  3: ['invocationId'],
  4: ['invocationId', 'target', 'arguments'],
  5: ['invocationId'],
  6: [],
  7: [],
  8: ['sequenceId'],
  9: ['sequenceId'],
}

/**
 * Reads one message, without its separator. Returns null for a type of a later protocol version,
 * which must be ignored. Throws `ProtocolError`.
 */
export function readMessage(text: string): HubMessage | null {
  const given = readObject(text)
  if (!Object.hasOwn(given, 'type')) throw new ProtocolError(`Missing required property 'type'.`)
  if (!Number.isInteger(given['type']))
    throw new ProtocolError(`Expected 'type' to be of type Integer.`)
  const message: HubMessage = { type: given['type'] as number }
  const needs = required[message.type]
  if (!needs) return null
  for (const [property, kind] of Object.entries(kinds)) {
    const value = given[property]
    if (value === undefined || (kind && value === null)) continue
    if (kind && kindOf(value) !== kind)
      throw new ProtocolError(`Expected '${property}' to be of type ${kind}.`)
    Object.assign(message, { [property]: value })
  }
  for (const property of needs)
    if (!(property in message)) throw new ProtocolError(`Missing required property '${property}'.`)
  if ('result' in message && 'error' in message)
    throw new ProtocolError(`The 'error' and 'result' properties are mutually exclusive.`)
  return message
}

/** Formats a message for sending. */
export const writeMessage = (message: HubMessage): string => JSON.stringify(message) + separator

export type Handshake = { protocol: string; version: number }

/** Reads the first message of a connection. Throws `ProtocolError`. */
export function readHandshake(text: string): Handshake {
  const { protocol, version } = readObject(text)
  if (protocol === undefined) throw new ProtocolError(`Missing required property 'protocol'.`)
  if (version === undefined) throw new ProtocolError(`Missing required property 'version'.`)
  if (typeof protocol !== 'string')
    throw new ProtocolError(`Expected 'protocol' to be of type String.`)
  if (!Number.isInteger(version))
    throw new ProtocolError(`Expected 'version' to be of type Integer.`)
  return { protocol, version: version as number }
}

/**
 * Returns the reason why this server does not support the requested protocol; null when it does.
 */
export function handshakeRefusal({ protocol, version }: Handshake): string | null {
  if (protocol === 'messagepack')
    return `Cannot use the 'messagepack' protocol on the current transport. The transport does not support 'Binary' transfer format.`
  if (protocol !== 'json') return `The protocol '${protocol}' is not supported.`
  return version === 1
    ? null
    : `The server does not support version ${version} of the 'json' protocol.`
}

export const writeHandshakeReply = (error: string | null): string =>
  JSON.stringify(error === null ? {} : { error }) + separator

function readObject(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ProtocolError('Error reading JSON.')
  }
  if (kindOf(value) !== 'Object')
    throw new ProtocolError(
      `Unexpected JSON Token Type '${kindOf(value)}'. Expected a JSON Object.`,
    )
  return value as Record<string, unknown>
}

function kindOf(value: unknown): string {
  if (value === null) return 'Null'
  if (Array.isArray(value)) return 'Array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'Integer' : 'Float'
  return typeof value === 'string' ? 'String' : typeof value === 'boolean' ? 'Boolean' : 'Object'
}
