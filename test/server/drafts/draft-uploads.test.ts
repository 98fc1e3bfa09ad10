import { PassThrough } from 'node:stream'
import sharp from 'sharp'
import t from 'tap'
import { pictureLimits, pictureWords } from '../../../domain/drafts/pictures/picture.ts'
import { uploadSlots } from '../../../server/drafts/upload-slots.ts'
import { startShopMerchant } from '../support/shop-merchant.ts'

const { post, call, put, shop, close } = await startShopMerchant()
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
