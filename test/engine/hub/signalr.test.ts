import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import {
  type HubMethod,
  longestMessage,
  serveConnection,
  type Timing,
} from '../../../engine/hub/connection.ts'
import {
  handshakeRefusal,
  ProtocolError,
  readHandshake,
  readMessage,
  separator,
  writeHandshakeReply,
  writeMessage,
} from '../../../engine/hub/protocol.ts'
import { like } from '../support/like.ts'

/**
 * Messages and scenarios from SignalR's own tests (dotnet/aspnetcore, MIT). The field `source` of
 * the file names them.
 */
const vectors = JSON.parse(
  readFileSync(new URL('../../cases/signalr-json-vectors.json', import.meta.url), 'utf8'),
) as {
  recordSeparator: string
  handshakeRequest: {
    valid: { json: string; protocol: string; version: number }[]
    incomplete_no_separator: string[]
    invalid: string[]
  }
  handshakeResponse: {
    valid: { json: string; error: string | null }[]
    serverErrorStrings: Record<
      'unknownProtocol' | 'badVersion' | 'timeoutOrTooLarge' | 'binaryOnTextTransport',
      string
    >
  }
  messagesRoundTrip: string[]
  outOfOrderValid: string[]
  extraFieldsIgnored: string[]
  invalidMessages: [json: string, message: string][]
  serverScenarios: { name: string; chunks?: string[]; expect: string }[]
}
const { handshakeRequest, handshakeResponse, serverScenarios } = vectors
const refusals = handshakeResponse.serverErrorStrings

const protocolError = like({ constructor: ProtocolError })

t.test('messages read and written again are the same', async t => {
  t.equal(separator, vectors.recordSeparator)
  t.equal(vectors.messagesRoundTrip.length, 20)
  for (const json of vectors.messagesRoundTrip)
    t.equal(writeMessage(readMessage(json)!), json + separator, json)
})

t.test(
  'properties are read in any order, and unknown properties and message types are ignored',
  async t => {
    for (const json of vectors.outOfOrderValid) t.same(readMessage(json), JSON.parse(json), json)
    for (const json of vectors.extraFieldsIgnored) {
      const { extraParameter: _, ...known } = JSON.parse(json) as Record<string, unknown>
      t.same(readMessage(json), known, json)
    }
    t.equal(readMessage('{"type":99,"anything":1}'), null)
    t.same(readMessage('{"type":1,"invocationId":null,"target":"a","arguments":[]}'), {
      type: 1,
      target: 'a',
      arguments: [],
    })
  },
)

t.test('an invalid message is refused with SignalR’s own error text', async t => {
  t.equal(vectors.invalidMessages.length, 16)
  for (const [json, message] of vectors.invalidMessages)
    t.throws(() => readMessage(json), new ProtocolError(message), json)
  t.throws(
    () => readMessage('{"type":3,"invocationId":"1","result":1,"error":"x"}'),
    new ProtocolError(`The 'error' and 'result' properties are mutually exclusive.`),
  )
  for (const json of ['{"type":', '{"type":"1"}'])
    t.throws(() => readMessage(json), protocolError, json)
})

t.test('handshakes', async t => {
  for (const { json, protocol, version } of handshakeRequest.valid)
    t.same(readHandshake(json), { protocol, version }, json)
  for (const json of handshakeRequest.invalid)
    t.throws(() => readHandshake(json), protocolError, json)
  // Our reply has the same form as these, with or without `error`.
  for (const { json, error } of handshakeResponse.valid.filter(
    ({ json }) => !json.includes('unknown'),
  ))
    t.equal(writeHandshakeReply(error), json + separator)
  t.equal(handshakeRefusal({ protocol: 'json', version: 1 }), null)
  t.equal(handshakeRefusal({ protocol: 'CustomProtocol', version: 1 }), refusals.unknownProtocol)
  t.equal(handshakeRefusal({ protocol: 'json', version: 9001 }), refusals.badVersion)
  t.equal(handshakeRefusal({ protocol: 'messagepack', version: 1 }), refusals.binaryOnTextTransport)
})

const handshake = `{"protocol":"json","version":1}${separator}`
const accepted = `{}${separator}`
const restSeconds: Timing = { handshake: 15_000, keepAlive: 15_000, clientTimeout: 30_000 }

/**
 * A fake client socket: the test sends frames and reads what the server sent. The server has the
 * methods of SignalR's test hub.
 */
function connected(timing: Timing = restSeconds) {
  let hear = (_data: { toString: () => string }): void => {},
    hangUp = (): void => {}
  const sent: string[] = [],
    closed: (number | undefined)[] = []
  let ready = 0,
    gone = 0,
    waiting = 0,
    terminated = 0
  const socket = {
    get bufferedAmount() {
      return waiting
    },
    send: (text: string) => {
      sent.push(text)
    },
    close: (code?: number) => {
      closed.push(code)
      hangUp()
    },
    terminate: () => {
      terminated++
      hangUp()
    },
    on: (event: string, listener: (data: { toString: () => string }) => void) => {
      if (event === 'message') hear = listener
      else hangUp = listener as () => void
    },
  }
  const methods = new Map<string, HubMethod>([
    ['echo', ([text]) => text],
    ['abort', (_, connection) => connection.abort()],
    [
      'fail',
      () => {
        throw new Error('a secret of ours')
      },
    ],
  ])
  const connection = serveConnection(socket, {
    timing,
    methods,
    onReady: () => {
      ready++
    },
    onClosed: () => {
      gone++
    },
  })
  return {
    connection,
    sent,
    closed,
    hangUp: () => hangUp(),
    /**
     * Sends frames one after the other, and waits one turn of the event loop for the answers to
     * invocations.
     */
    frames: async (...frames: string[]) => {
      for (const frame of frames) hear(Buffer.from(frame))
      await delay(0)
    },
    stopReading: () => {
      waiting = 10 * 1024 * 1024
    },
    counts: () => ({ ready, gone, terminated }),
  }
}
const invocation = (target: string, args: unknown[], invocationId?: string) =>
  writeMessage({ type: 1, ...(invocationId && { invocationId }), target, arguments: args })
const echoed = `{"type":3,"invocationId":"1","result":"hello"}${separator}`

const scenarios: Record<string, (t: Test, chunks: string[]) => Promise<void>> = {
  SendingHandshakeRequestInChunksWorks: async (t, chunks) => {
    const client = connected()
    for (const chunk of chunks) {
      t.same(client.sent, [], 'no reply before the separator')
      await client.frames(chunk)
    }
    t.same(client.sent, [accepted])
  },
  SendingInvocationInChunksWorks: async (t, chunks) => {
    const client = connected()
    await client.frames(handshake, ...chunks)
    t.same(client.sent, [accepted, echoed])
  },
  HandshakeAndInvocationInSamePayload: async (t, chunks) => {
    const client = connected()
    await client.frames(...chunks)
    t.same(client.sent, [accepted, echoed])
  },
  HandshakeTimesOut: async t => {
    const client = connected({ ...restSeconds, handshake: 20 })
    await client.frames(handshakeRequest.incomplete_no_separator[1]!)
    while (client.closed.length === 0) await delay(5)
    t.same(client.sent, [`{"error":"${refusals.timeoutOrTooLarge}"}${separator}`])
  },
  ConnectionClosedWhenHandshakeLargerThanMaxMessageSize: async t => {
    for (const end of ['', separator]) {
      const client = connected()
      await client.frames(
        `{"protocol":"json","version":1,"x":"${'x'.repeat(longestMessage)}"}${end}`,
      )
      t.same(client.sent, [`{"error":"${refusals.timeoutOrTooLarge}"}${separator}`])
      t.equal(client.closed.length, 1)
    }
  },
  HandshakeFailureFromUnknownProtocol: async (t, chunks) => {
    const client = connected()
    await client.frames(...chunks)
    t.same(client.sent, [`{"error":"${refusals.unknownProtocol}"}${separator}`])
    t.equal(client.closed.length, 1)
  },
  HandshakeFailureFromIncompatibleProtocolVersion: async (t, chunks) => {
    const client = connected()
    await client.frames(...chunks)
    t.same(client.sent, [`{"error":"${refusals.badVersion}"}${separator}`])
    t.equal(client.closed.length, 1)
  },
  AbortFromHubMethodForcesClientDisconnect: async t => {
    const client = connected()
    await client.frames(handshake, invocation('Abort', []))
    t.same(client.sent, [accepted, `{"type":7}${separator}`], 'a close that allows no reconnect')
    t.equal(client.closed.length, 1)
  },
  ManyHubMessagesOneOverTheMaxMessageSize: async t => {
    const client = connected()
    await client.frames(handshake)
    await client.frames(invocation('Echo', ['one'], '1') + invocation('Echo', ['two'], '2'))
    await client.frames(
      invocation('Echo', ['x'.repeat(longestMessage)], '3') + invocation('Echo', ['four'], '4'),
    )
    t.same(
      client.sent.map(
        text =>
          (JSON.parse(text.slice(0, -1)) as { type?: number; result?: string }).result ??
          text.slice(0, 9),
      ),
      [accepted, 'one', 'two', '{"type":7'],
    )
    t.equal(client.closed.length, 1)
  },
  MissingHandshakeThenDisconnect: async t => {
    const client = connected()
    client.hangUp()
    t.same(client.sent, [])
    t.match(client.counts(), { ready: 0, gone: 1 })
  },
}

t.test('the scenarios of SignalR’s own server tests', async t => {
  t.same(
    Object.keys(scenarios),
    serverScenarios.map(({ name }) => name),
  )
  for (const { name, chunks = [] } of serverScenarios)
    await t.test(name, t => scenarios[name]!(t, chunks))
})

t.test('an invalid handshake is refused', async t => {
  for (const json of handshakeRequest.invalid) {
    const client = connected()
    await client.frames(json + separator)
    t.match(client.sent, [/^\{"error":"An unexpected error/], json)
    t.equal(client.closed.length, 1)
  }
})

t.test(
  'an unknown or failing method is reported only to calls that expect an answer, and the connection stays open',
  async t => {
    const client = connected()
    await client.frames(
      handshake,
      invocation('Nothing', []),
      writeMessage({ type: 6 }),
      writeMessage({ type: 3, invocationId: '7', result: null }),
    )
    t.same(client.sent, [accepted])
    await client.frames(
      invocation('constructor', [], '1'),
      writeMessage({ type: 4, invocationId: '2', target: 'Echo', arguments: [] }),
      invocation('Fail', [], '3'),
      invocation('Echo', [], '4'),
    )
    t.same(
      client.sent.slice(1).map(text => JSON.parse(text.slice(0, -1)) as unknown),
      [
        { type: 3, invocationId: '1', error: `Unknown hub method 'constructor'` },
        { type: 3, invocationId: '2', error: `Unknown hub method 'Echo'` },
        {
          type: 3,
          invocationId: '3',
          error: `An unexpected error occurred invoking 'Fail' on the server.`,
        },
        { type: 3, invocationId: '4', result: null },
      ],
    )
    t.same(client.closed, [])
  },
)

t.test('an invalid message closes the connection with the reason', async t => {
  const client = connected()
  await client.frames(handshake, `{"type":1}${separator}`, invocation('Echo', ['hello'], '1'))
  t.same(client.sent.slice(1), [
    `{"type":7,"error":"Missing required property 'target'."}${separator}`,
  ])
  t.same(client.closed, [1002])
})

t.test('the server sends pings, and closes the connection of a silent client', async t => {
  const pinged = connected({ ...restSeconds, keepAlive: 10 })
  await pinged.frames(handshake)
  while (pinged.sent.length < 3) await delay(5)
  t.same(pinged.sent.slice(1, 3), Array(2).fill(`{"type":6}${separator}`))
  pinged.hangUp()
  const silent = connected({ ...restSeconds, clientTimeout: 20 })
  await silent.frames(handshake)
  while (silent.closed.length === 0) await delay(5)
  t.equal(
    silent.sent.at(-1),
    `{"type":7,"error":"The client has been silent for too long."}${separator}`,
  )
})

t.test('the connection of a client that does not read is ended', async t => {
  const client = connected()
  await client.frames(handshake)
  client.stopReading()
  client.connection.send({ type: 1, target: 'Updated', arguments: [] })
  t.same(client.sent, [accepted])
  t.match(client.counts(), { ready: 1, gone: 1, terminated: 1 })
})

t.test('a close message of the client closes the connection', async t => {
  const client = connected()
  await client.frames(handshake, writeMessage({ type: 7 }))
  t.same(client.sent, [accepted])
  t.equal(client.closed.length, 1)
})
