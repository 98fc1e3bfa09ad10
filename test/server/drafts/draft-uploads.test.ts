import { once } from 'node:events'
import { createServer, request as ask } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { pictureLimits, pictureWords } from '../../../domain/drafts/pictures/picture.ts'
import { buildApp } from '../../../server/app.ts'
import { appConfig } from '../../../server/config.ts'
import { uploadSlots } from '../../../server/drafts/upload-slots.ts'
import { startShopMerchant } from '../support/shop-merchant.ts'

const { post, call, put, shop, close, later, cookies, now, engineOrigin } =
  await startShopMerchant()
t.teardown(close)
await put({
  feature_flags: JSON.stringify(['DomTesting']) as never,
  plan_id: 'core-100k-monthly',
  onboarded: true,
  has_subscribed: true,
  subscription_status: 'Active',
  subscription_id: 'sub-1',
})
const { id } = await call('createDraft', { body: { kind: 'PageElement', title: 'Pictures' } })

/** Sends these files as a browser sends a form. */
async function upload(to: string, ...files: Buffer[]) {
  const form = new FormData()
  for (const file of files)
    form.append('file', new Blob([new Uint8Array(file)], { type: 'text/plain' }), 'anything.svg')
  const whole = new Response(form)
  return post(
    `/tests/draft/edit/${to}/uploads`,
    {},
    {
      payload: Buffer.from(await whole.arrayBuffer()),
      headers: { 'content-type': whole.headers.get('content-type')! },
    },
  )
}

t.test('a form with a picture publishes it and returns its address', async t => {
  const answer = await upload(
    id,
    await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
      .png()
      .toBuffer(),
  )
  t.equal(answer.statusCode, 200)
  const picture = answer.json<{ address: string }>()
  t.match(picture, { width: 40, height: 30 })
  t.match(await shop.app.inject(new URL(picture.address).pathname), {
    statusCode: 200,
    headers: { 'content-type': 'image/png' },
  })
})

t.test('a wrong file has a message at its field', async t => {
  const said = async (what: keyof typeof pictureWords, ...files: Buffer[]) => {
    const answer = await upload(id, ...files)
    t.match(
      [answer.statusCode, answer.json()],
      [
        400,
        { message: pictureWords[what], fields: [{ field: 'file', message: pictureWords[what] }] },
      ],
      what,
    )
  }
  await said('format', Buffer.from('<svg/>'))
  await said('large', Buffer.alloc(pictureLimits.bytes + 1))
  await said('none')
  await said('none', Buffer.alloc(0))
  t.equal(
    (await upload(crypto.randomUUID(), Buffer.from('x'))).statusCode,
    404,
    'the draft does not exist',
  )
})

t.test(
  'a store has a few uploads at a time; an upload that ends or breaks off makes room',
  { timeout: 60_000 },
  async t => {
    const begin = () => {
      const payload = new PassThrough()
      payload.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n')
      const answer = post(
        `/tests/draft/edit/${id}/uploads`,
        {},
        { payload, headers: { 'content-type': 'multipart/form-data; boundary=b' } },
      )
      return { payload, answer }
    }
    const underWay = Array.from({ length: uploadSlots.perStore }, begin)
    const refused = async (): Promise<number> => (await upload(id, Buffer.from('x'))).statusCode
    // When there is no room left, the three uploads have arrived.
    while ((await refused()) !== 429);
    t.match((await upload(id, Buffer.from('x'))).json(), { message: /still being uploaded/ })

    underWay[0]!.payload.end('not a picture\r\n--b--\r\n')
    t.match((await underWay[0]!.answer).json(), { message: pictureWords.format })
    t.equal(await refused(), 400, 'one upload has ended')

    for (const { payload } of underWay.slice(1)) payload.end()
    for (const { answer } of underWay.slice(1))
      t.equal((await answer).statusCode, 400, 'the upload is cut off')
    t.equal(await refused(), 400)
  },
)

/**
 * Another app, listening, before the same engine; `waiting` holds what it asks of the engine, while
 * it is an array.
 */
async function appApart(t: Test, uploadTime?: number) {
  const own = { waiting: null as (() => void)[] | null }
  const between = createServer((request, response) => {
    const pass = () =>
      request.pipe(
        ask(
          engineOrigin + request.url,
          { method: request.method!, headers: request.headers },
          answer => {
            response.writeHead(answer.statusCode!, answer.headers)
            answer.pipe(response)
          },
        ),
      )
    if (own.waiting) own.waiting.push(pass)
    else pass()
  }).listen(0, '127.0.0.1')
  await once(between, 'listening')
  const { app, close } = await buildApp({
    config: appConfig({ APP_ORIGIN: 'http://localhost:3000' }),
    upstreamOrigin: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
    clock: () => now.at,
    ...(uploadTime && { uploadTime }),
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(async () => {
    await close()
    between.closeAllConnections()
    between.close()
  })
  /** The head of an upload and the first bytes of its body. */
  const begin = () => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      `POST /tests/draft/edit/${id}/uploads HTTP/1.1\r\nhost: localhost:3000\r\norigin: http://localhost:3000\r\ncookie: ${cookies()}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 100000\r\n\r\n--b\r\n`,
    )
    return socket
  }
  return { own, app, begin }
}
const partHead = 'content-disposition: form-data; name="file"; filename="a.png"\r\n\r\nx'
const answerTo = async (socket: ReturnType<typeof connect>) =>
  ((await once(socket, 'data')) as [Buffer])[0].toString()

t.test('a client that has left before its upload begins keeps no place', async t => {
  const { own, app, begin } = await appApart(t)
  for (let i = 0; i < uploadSlots.perStore; i++) {
    // Nothing of the store is known any more, so that the engine is asked before the handler runs.
    later()
    const asked: (() => void)[] = (own.waiting = [])
    const came = once(app.server, 'connection') as Promise<[Socket]>
    const socket = begin()
    const [connection] = await came
    while (asked.length === 0) await new Promise(resolve => setImmediate(resolve))
    socket.resetAndDestroy()
    // Without `once` of events: it would reject by the error that comes before.
    if (!connection.closed) await new Promise<unknown>(closed => connection.once('close', closed))
    own.waiting = null
    for (const pass of asked) pass()
    // A page waits for the same answers.
    await app.inject({ url: '/settings/account', headers: { cookie: cookies() } })
  }
  const honest = begin()
  honest.write(`${partHead}\r\n--b--\r\n`.padEnd(100_000 - 5))
  t.match(await answerTo(honest), /^HTTP\/1.1 400 [^]*not a PNG/)
  honest.destroy()
})

t.test('an upload that does not arrive in time gives its place to another', async t => {
  const { begin } = await appApart(t, 200)
  // Beyond their number nothing is refused for want of a place: each has given its own back.
  for (const sent of ['', partHead, partHead, '', partHead]) {
    const slow = begin()
    slow.write(sent)
    t.match(await answerTo(slow), /^HTTP\/1.1 408 [^]*took too long/)
    slow.destroy()
  }
})
