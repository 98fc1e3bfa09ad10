import { setTimeout as pause } from 'node:timers/promises'
import { deflateSync } from 'node:zlib'
import { pino } from 'pino'
import sharp from 'sharp'
import t from 'tap'
import { pictureLimits, pictureWords } from '../../../../domain/drafts/pictures/picture.ts'
import { readPicture } from '../../../../engine/drafts/pictures/picture-file.ts'
import type { Refused } from '../../support/engine.ts'
import { holdRequests } from '../../support/shops/held-requests.ts'
import { startWithShop } from '../../support/with-shop.ts'

const { call, db, engine, shop, close } = await startWithShop(
  { log: pino({ level: 'error' }, pino.destination(2)) },
  { CHROMIUM_PATH: 'off' },
)
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})

/** A picture of noise, because a flat colour would compress to almost nothing. */
const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#0b5f7a',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  })
const small = await noise(60, 40).png().toBuffer()
const newDraft = () => call('createDraft', { body: { kind: 'PageElement', title: 'Pictures' } })
const upload = (id: string, bytes: Buffer) =>
  call('addPicture', { params: { id }, body: { file: bytes.toString('base64') } })
const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => null,
    (error: Refused) => [
      error.status,
      ...(error.problem.fields?.map(each => `${each.field}: ${each.message}`) ?? [error.message]),
    ],
  )
const refused = (what: keyof typeof pictureWords) => [400, `file: ${pictureWords[what]}`]
async function asked(address: string) {
  const { statusCode, headers, rawPayload } = await shop.app.inject(new URL(address).pathname)
  return { status: statusCode, type: headers['content-type'], body: rawPayload }
}
async function show(draft: { hypotheses: { id: string; arm: string }[] }, ...addresses: string[]) {
  const actions = addresses.map(value => ({
    selector: 'img',
    kind: 'image' as const,
    name: '',
    value,
  }))
  await call('setDomSelectors', {
    params: { id: draft.hypotheses[1]!.id },
    body: { domSelectors: [{ id: 'new', urlPatterns: ['/products/*'], actions }] },
  })
}
const drop = async (id: string) => {
  await call('deleteDraft', { params: { id } })
  await engine.runJobs()
}

t.test(
  'each of the four formats is published on the shop’s own host, whatever its file is called',
  async t => {
    const { id } = await newDraft()
    for (const [format, type] of [
      ['png', 'image/png'],
      ['jpeg', 'image/jpeg'],
      ['webp', 'image/webp'],
      ['avif', 'image/webp'],
    ] as const) {
      const picture = await upload(id, await noise(60, 40).toFormat(format).toBuffer())
      t.match(picture, {
        width: 60,
        height: 40,
        address: /^http:\/\/localhost:\d+\/cdn\/uploads\/twinshelf-[0-9a-f]{32}\.(png|jpg|webp)$/,
      })
      const there = await asked(picture.address)
      t.match(there, { status: 200, type })
      t.equal(there.body.length, picture.bytes)
      t.match(await sharp(there.body).metadata(), { width: 60, height: 40 })
    }
    t.same(
      await upload(id, small),
      await upload(id, small),
      'the same file again gives the same picture',
    )
    await drop(id)
  },
)

t.test('an upload that waits for the shop keeps its picture when another one begins', async t => {
  const { id } = await newDraft()
  const asked = Promise.withResolvers<void>()
  const release = holdRequests(shop.app, ({ url }) => {
    const isOurs = url!.startsWith('/admin/api/pictures/')
    if (isOurs) asked.resolve()
    return isOurs
  })
  const stored = async () =>
    (await db.kysely.selectFrom('pictures').select('name').orderBy('created_at').execute()).map(
      ({ name }) => name,
    )
  const first = upload(id, small)
  await asked.promise
  const [name] = await stored()
  const second = upload(id, await noise(61, 41).png().toBuffer())
  while (!(await stored()).some(each => each !== name)) await pause(5)
  release()
  t.match(await first, { width: 60, address: name! })
  t.match(await second, { width: 61 })
  await drop(id)
})

t.test('a file is checked by its content', async t => {
  const { id } = await newDraft()
  const wrong: [Buffer, keyof typeof pictureWords][] = [
    [
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
      'format',
    ],
    [Buffer.from('GIF89a, and the rest'), 'format'],
    [Buffer.from('%PDF-1.7'), 'format'],
    [small.subarray(0, 60), 'damaged'],
    [Buffer.concat([small.subarray(0, small.length / 2), Buffer.alloc(200)]), 'damaged'],
    [Buffer.concat([small, Buffer.alloc(pictureLimits.bytes)]), 'large'],
    [bomb(60_000, 60_000), 'pixels'],
    [
      claiming(
        await noise(60, 40).webp().toBuffer(),
        '\x9d\x01\x2a\x3c\0\x28\0',
        '\x9d\x01\x2a\xff\x3f\xff\x3f',
      ),
      'pixels',
    ],
    [claiming(await noise(60, 40).jpeg().toBuffer(), '\0\x28\0\x3c', '\xea\x60\xea\x60'), 'pixels'],
    [
      claiming(
        await noise(60, 40).avif().toBuffer(),
        '\0\0\0\x3c\0\0\0\x28',
        '\0\0\xea\x60\0\0\xea\x60',
      ),
      'pixels',
    ],
  ]
  for (const file of ['no base64!', 'AAA', 'AAAA='])
    t.same(
      await refusal(call('addPicture', { params: { id }, body: { file } })),
      refused('encoding'),
      file,
    )
  for (const [file, what] of wrong) t.same(await refusal(upload(id, file)), refused(what), what)
  t.same(
    await db.kysely.selectFrom('pictures').select('name').execute(),
    [],
    'no refused file is stored',
  )
  await drop(id)
})

t.test(
  'metadata of the camera is removed, the picture is turned upright, and a large one is reduced',
  async t => {
    const photo = await noise(80, 40)
      .withExif({
        IFD0: { Artist: 'Mara', Copyright: 'Mara' },
        IFD3: { GPSLatitude: '52/1 30/1 0/1' },
      })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    t.ok((await sharp(photo).metadata()).exif)
    const { body, width, height } = await readPicture(photo)
    t.same([width, height], [40, 80])
    const { exif, orientation, icc, xmp } = await sharp(body).metadata()
    t.same([exif, orientation, icc, xmp], [undefined, undefined, undefined, undefined])
    t.notMatch(body.toString('latin1'), 'Mara')
    const hidden = Buffer.concat([
      await noise(20, 20).jpeg().toBuffer(),
      Buffer.from('<script>hidden</script>'),
    ])
    t.notMatch(
      (await readPicture(hidden)).body.toString('latin1'),
      'hidden',
      'data after the end of the picture is removed too',
    )
    t.match(
      await readPicture(
        await sharp({ create: { width: 6000, height: 300, channels: 3, background: 'white' } })
          .png()
          .toBuffer(),
      ),
      { width: pictureLimits.side, height: 128 },
    )
  },
)

t.test('a draft’s picture is deleted with it, unless another draft shows it', async t => {
  const draft = await newDraft()
  const unused = await upload(draft.id, await noise(30, 30).png().toBuffer()),
    shown = await upload(draft.id, small)
  await show(draft, shown.address)
  const copy = await call('duplicateDraft', { params: { id: draft.id } })
  await drop(draft.id)
  t.equal((await asked(unused.address)).status, 404)
  t.equal((await asked(shown.address)).status, 200)
  await drop(copy.id)
  t.equal((await asked(shown.address)).status, 404)
  t.same(await db.kysely.selectFrom('pictures').select('name').execute(), [])
})

t.test(
  'the end of a test removes its pictures from the shop; those of an applied arm stay for good',
  async t => {
    const draft = await newDraft()
    const { address } = await upload(draft.id, small)
    await show(draft, address)
    const { testId } = await call('launchDraft', { params: { id: draft.id } })
    const status = async () => (await asked(address)).status
    t.equal(await status(), 200)
    await call('updateTest', { params: { id: testId }, body: { status: 'Ended' } })
    await engine.runJobs()
    t.equal(await status(), 404, 'ended')
    await call('applyTest', { params: { id: testId }, body: { arm: 'variant' } })
    t.equal(await status(), 200, 'applied later')
    await engine.runJobs()
    t.equal(await status(), 200)
    await call('applyTest', { params: { id: testId }, body: { arm: 'control' } })
    t.equal(await status(), 404, 'the control is applied instead')
    const copy = await call('duplicateTest', { params: { id: testId } })
    t.equal(await status(), 200, 'a copy shows it again')
    await call('applyTest', { params: { id: testId }, body: { arm: 'variant' } })
    await drop(copy.id)
    t.equal(await status(), 200, 'the applied variant keeps it without the copy')
  },
)

t.test('a picture in a template is deleted with the last draft that shows it', async t => {
  const draft = await call('createDraft', {
      body: { kind: 'Template', title: 'A story with a picture' },
    }),
    params = { id: draft.id }
  await call('setControl', { params, body: { type: 'product', suffix: 'story' } })
  await call('setVariant', { params, body: {} })
  const { address } = await upload(draft.id, await noise(44, 33).png().toBuffer()),
    { version, sections } = await call('templateContent', { params })
  const [section, setting] = sections.flatMap(each =>
    each.settings.filter(({ kind }) => kind === 'picture').map(found => [each, found] as const),
  )[0]!
  await call('setTemplateContent', {
    params,
    body: {
      version,
      sections: [{ id: section.id, settings: [{ id: setting.id, value: address }] }],
    },
  })
  const copy = await call('duplicateDraft', { params })
  await drop(draft.id)
  t.equal((await asked(address)).status, 200, 'the copy shows it')
  await upload(copy.id, small)
  t.ok(
    (await db.kysely.selectFrom('pictures').select('name').execute()).some(({ name }) =>
      address.includes(name),
    ),
    'the stored picture stays for the copy',
  )
  await drop(copy.id)
  t.equal((await asked(address)).status, 404)
})

t.test('the number and the total size of a store’s pictures are limited', async t => {
  const { id } = await newDraft()
  const { count } = await db.kysely
    .selectFrom('pictures')
    .select(eb => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  const first = await upload(id, small)
  // Rows of this draft, as if its pictures had been uploaded one by one.
  const rows = Array.from({ length: pictureLimits.count - Number(count) - 1 }, (_, i) => ({
    name: `twinshelf-${i}.png`,
    bytes: 10,
  }))
  const fill = async (all: typeof rows) => {
    await db.kysely
      .insertInto('pictures')
      .values(
        all.map(row => ({
          ...row,
          store_id: storeId,
          type: 'image/png',
          body: Buffer.alloc(0),
          created_at: new Date(),
        })),
      )
      .execute()
    await db.kysely
      .insertInto('journal')
      .values(
        all.map(({ name }) => ({
          store_id: storeId,
          batch_id: crypto.randomUUID(),
          test_id: id,
          kind: 'picture' as const,
          place: JSON.stringify([name]),
          what: name,
          before: null,
          after: '',
          state: 'undone' as const,
          created_at: new Date(),
        })),
      )
      .execute()
  }
  await fill(rows)
  const another = await noise(31, 31).png().toBuffer()
  t.same(await refusal(upload(id, another)), refused('count'))
  t.equal((await upload(id, small)).address, first.address, 'a stored picture does not count twice')
  await db.kysely
    .deleteFrom('pictures')
    .where(
      'name',
      'in',
      rows.map(({ name }) => name),
    )
    .execute()
  await fill([{ name: 'twinshelf-large.png', bytes: pictureLimits.total - 100 }])
  t.same(await refusal(upload(id, another)), refused('total'))
  await drop(id)
  const other = await newDraft()
  t.match(
    await upload(other.id, another),
    { width: 31 },
    'pictures of a deleted draft do not count',
  )
  await drop(other.id)
})

t.test('an uninstall removes all pictures from the shop except those of applied arms', async t => {
  const draft = await newDraft()
  const { address } = await upload(draft.id, await noise(33, 33).png().toBuffer())
  await show(draft, address)
  const kept = await db.kysely
    .selectFrom('journal')
    .select('what')
    .where('kind', '=', 'picture')
    .where('state', '=', 'kept')
    .execute()
  t.equal(kept.length, 1)
  await call('uninstall', {
    params: { id: storeId },
    body: { category: 'other' as never, reason: 'x' },
  })
  await engine.runJobs()
  t.equal((await asked(address)).status, 404)
  t.equal((await asked(`http://shop/cdn/uploads/${kept[0]!.what.split(' ')[1]}`)).status, 200)
})

/**
 * Replaces `size` in a picture's header with a false size. Throws when the header does not contain
 * `size`.
 */
function claiming(picture: Buffer, size: string, claimed: string): Buffer {
  const at = picture.indexOf(size, 0, 'latin1'),
    made = Buffer.from(picture)
  if (at < 0) throw new Error('the head has another form')
  made.write(claimed, at, 'latin1')
  return made
}

/** A small PNG whose header claims this size. */
function bomb(width: number, height: number): Buffer {
  const crcs = Uint32Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1
    return n
  })
  const crc = (bytes: Buffer) => {
    let c = 0xffffffff
    for (const byte of bytes) c = crcs[(c ^ byte) & 0xff]! ^ (c >>> 8)
    return (c ^ 0xffffffff) >>> 0
  }
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data]),
      size = Buffer.alloc(4),
      sum = Buffer.alloc(4)
    size.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc(named))
    return Buffer.concat([size, named, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 0], 8)
  return Buffer.concat([
    small.subarray(0, 8),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(1_000_000))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
