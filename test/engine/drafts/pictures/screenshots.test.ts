import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import t from 'tap'
import { callPath } from '../../../../domain/api/call.ts'
import { contract } from '../../../../domain/api/contract.ts'
import { type DomAction, zeroId } from '../../../../domain/drafts/dom-selector.ts'
import { screenshotDevices } from '../../../../domain/drafts/pictures/screenshot.ts'
import { findChromium } from '../../../../engine/browser/chromium.ts'
import type { Refused } from '../../support/engine.ts'
import { like } from '../../support/like.ts'
import { wholeChromium } from '../../support/processes/whole-chromium.ts'
import { holdRequests } from '../../support/shops/held-requests.ts'
import { startWithShop, type WithShop } from '../../support/with-shop.ts'

// Chromium can be slow on a busy machine.
t.setTimeout(300_000)

/** A draft for a product page. Its variant has a red background. */
async function loudDraft(
  { call }: WithShop,
  ...more: DomAction[]
): Promise<{ id: string; control: string; variant: string }> {
  const {
    id,
    hypotheses: [control, variant],
  } = await call('createDraft', { body: { kind: 'PageElement', title: 'A louder name' } })
  await call('setDomSelectors', {
    params: { id: variant!.id },
    body: {
      domSelectors: [
        {
          id: zeroId,
          urlPatterns: ['/products/ash-glaze-mug'],
          actions: [
            {
              selector: '.product__info',
              kind: 'style',
              name: 'background-color',
              value: '#ff0000',
            },
            ...more,
          ],
        },
      ],
    },
  })
  return { id, control: control!.id, variant: variant!.id }
}

async function image({ engine, token }: WithShop, id: string, device: string): Promise<Buffer> {
  const response = await engine.app.inject({
    url: callPath(contract.screenshot.path, 'demo', { id, device }),
    headers: { authorization: `Bearer ${token}` },
  })
  t.equal(response.statusCode, 200)
  t.equal(response.headers['content-type'], 'image/jpeg')
  return response.rawPayload
}

/** Width and height from a JPEG's frame header. */
function sizeOf(jpeg: Buffer): { width: number; height: number } {
  for (let at = 2; at < jpeg.length;) {
    const marker = jpeg[at + 1]!
    if (marker >= 0xc0 && marker <= 0xc2)
      return { height: jpeg.readUInt16BE(at + 5), width: jpeg.readUInt16BE(at + 7) }
    at += 2 + jpeg.readUInt16BE(at + 2)
  }
  throw new Error('no frame in this JPEG')
}

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

t.test('without a Chromium the call answers 503 and names it', async t => {
  const own = await startWithShop({}, { CHROMIUM_PATH: 'off' })
  t.teardown(own.close)
  const { id, variant } = await loudDraft(own)
  for (const refused of [
    () => own.call('updateDraftScreenshots', { params: { id } }),
    () => own.call('refreshScreenshots', { params: { id: variant } }),
  ]) {
    const error = await refused().then(
      () => null,
      (error: unknown) => error as Refused,
    )
    t.equal(error?.status, 503)
    t.match(error?.message, /Chromium/)
  }
  await t.rejects(
    own.call('updateDraftScreenshots', { params: { id: variant } }),
    like({ status: 404 }),
  )
  t.equal(findChromium('off'), null)
  t.equal(findChromium('/no/such/program'), null)
})

const chromium = wholeChromium()
const drawing = { skip: !chromium && 'no Chromium here' }
const withChromium = chromium ? { CHROMIUM_PATH: chromium } : {}

t.test(
  'both arms are drawn as visitors see them, on both devices, and no visitor is counted',
  drawing,
  async t => {
    // Without a runtime file of the test, the engine uses the real script and the real preview.
    const own = await startWithShop({ runtimeFile: undefined } as object, withChromium)
    t.teardown(own.close)
    let visits = 0
    const elsewhere = createServer((_, response) => {
      visits++
      response.end()
    })
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
    t.teardown(() => elsewhere.close())
    const draft = await loudDraft(own, {
      selector: '.product__photo',
      kind: 'attribute',
      name: 'src',
      value: `http://localhost:${(elsewhere.address() as AddressInfo).port}/spy.png`,
    })

    const [{ jobId }, again] = [
      await own.call('updateDraftScreenshots', { params: { id: draft.id } }),
      await own.call('updateDraftScreenshots', { params: { id: draft.id } }),
    ]
    t.equal(again.jobId, jobId, 'a second request gets the same job')
    await finished(own, jobId)
    const pictures = new Map<string, Buffer>()
    for (const [device, size] of Object.entries(screenshotDevices)) {
      for (const arm of ['control', 'variant'] as const) {
        const picture = await image(own, draft[arm], device)
        pictures.set(`${arm} ${device}`, picture)
        t.match(sizeOf(picture), { width: size.width, height: size.height })
        t.ok(picture.length < 200_000, `${picture.length} bytes`)
      }
    }
    t.equal(new Set([...pictures.values()].map(hash)).size, 4, 'no two are alike')

    // A second screenshot of an arm differs only in how letters are smoothed. So the differences
    // above come from the change, not from chance.
    own.now.at = new Date(own.now.at.getTime() + 60_000)
    await finished(
      own,
      (await own.call('refreshScreenshots', { params: { id: draft.control } })).jobId,
    )
    const weight = pictures.get('control desktop')!.length
    t.ok(
      Math.abs((await image(own, draft.control, 'desktop')).length - weight) < weight / 100,
      'the file size is the same within one percent',
    )
    const { hypotheses } = await own.call('draft', { params: { id: draft.id } })
    t.match(hypotheses, [
      {
        arm: 'control',
        screenshots: [
          { device: 'desktop', takenAt: own.now.at.toISOString() },
          { device: 'phone', takenAt: own.now.at.toISOString() },
        ],
      },
      { arm: 'variant', screenshots: [{ device: 'desktop' }, { device: 'phone' }] },
    ])
    t.ok(
      hypotheses[1]!.screenshots[0]!.takenAt < hypotheses[0]!.screenshots[0]!.takenAt,
      'the variant’s screenshots are older',
    )

    t.equal(visits, 0, 'no request went to the other host that the variant names')
    t.same(
      (
        await sql<{ count: number }>`select count(*)::int as count from events`.execute(
          own.db.kysely,
        )
      ).rows,
      [{ count: 0 }],
      'no visitor was counted',
    )
    await t.rejects(
      own.call('refreshScreenshots', { params: { id: draft.id } }),
      like({ status: 404 }),
      'the id of a draft is no id of a hypothesis',
    )

    await own.call('deleteDraft', { params: { id: draft.id } })
    const redirect = await own.call('createDraft', {
      body: {
        kind: 'UrlRedirect',
        title: 'Another guide',
        controlUrl: '/pages/gift-guide',
        redirectUrl: '/pages/about',
      },
    })
    await finished(
      own,
      (await own.call('updateDraftScreenshots', { params: { id: redirect.id } })).jobId,
    )
    const [control, variant] = await Promise.all(
      redirect.hypotheses.map(({ id }) => image(own, id, 'desktop')),
    )
    t.not(
      hash(control!),
      hash(variant!),
      'the variant’s screenshot shows the target of the redirect',
    )
    t.same(
      await own.db.kysely
        .selectFrom('screenshots')
        .select('device')
        .where('hypothesis_id', '=', draft.control)
        .execute(),
      [],
      'screenshots are deleted with their draft',
    )
  },
)

t.test('an arm that is edited while it is drawn is drawn again', drawing, async t => {
  const own = await startWithShop({ runtimeFile: undefined } as object, withChromium)
  t.teardown(own.close)
  const { id, variant } = await loudDraft(own),
    refresh = () => own.call('refreshScreenshots', { params: { id: variant } }),
    isSecond = Promise.withResolvers<void>()
  let pages = 0
  const release = holdRequests(own.shop.app, ({ url }) => {
    if (!url!.startsWith('/products/ash-glaze-mug') || ++pages < 2) return false
    isSecond.resolve()
    return true
  })
  const { jobId } = await refresh()
  await isSecond.promise
  own.now.at = new Date(own.now.at.getTime() + 60_000)
  await refresh()
  release()
  await finished(own, jobId)
  const { hypotheses } = await own.call('draft', { params: { id } })
  t.same(
    hypotheses[1]!.screenshots.map(({ takenAt }) => takenAt),
    [own.now.at.toISOString(), own.now.at.toISOString()],
  )
})

t.test('when the shop does not answer, the job fails and says why', drawing, async t => {
  const own = await startWithShop({ runtimeFile: undefined } as object, withChromium)
  t.teardown(own.close)
  const draft = await loudDraft(own)
  await own.shop.app.close()
  const { jobId } = await own.call('refreshScreenshots', { params: { id: draft.control } })
  await own.engine.runJobs()
  t.match(await own.call('storeJob', { params: { id: jobId } }), {
    status: 'errored',
    message: 'The shop’s page did not open.',
  })
})

async function finished({ engine, call }: WithShop, jobId: string): Promise<void> {
  await engine.runJobs()
  t.match(await call('storeJob', { params: { id: jobId } }), { status: 'completed', progress: 1 })
}
