import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { callPath } from '../../../../domain/api/call.ts'
import { choiceLimits, type ChoiceAsk } from '../../../../domain/drafts/pictures/choice-picture.ts'
import { contract } from '../../../../domain/api/contract.ts'
import { findChromium } from '../../../../engine/browser/chromium.ts'
import { like } from '../../support/like.ts'
import { seedStore } from '../../support/seeds.ts'
import { secondShop } from '../../support/small-shop.ts'
import { startWithShop, type WithShop } from '../../support/with-shop.ts'

// Chromium can be slow on a busy machine.
t.setTimeout(300_000)
const withChromium = process.env['CHROMIUM_PATH']
  ? { CHROMIUM_PATH: process.env['CHROMIUM_PATH'] }
  : {}
const drawing = { skip: !findChromium(process.env['CHROMIUM_PATH']) && 'no Chromium here' }
const draw = ({ call }: WithShop, ...choices: ChoiceAsk[]) =>
  call('drawChoicePictures', { body: { choices } })

async function image({ engine, token }: WithShop, of: string): Promise<Buffer> {
  const response = await engine.app.inject({
    url: `${callPath(contract.choicePicture.path, 'demo', {})}?of=${encodeURIComponent(of)}`,
    headers: { authorization: `Bearer ${token}` },
  })
  t.match(response, { statusCode: 200, headers: { 'content-type': 'image/jpeg' } }, of)
  return response.rawPayload
}
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

t.test(
  'each choice is drawn once as the shop shows it, and again when it has changed or is old',
  drawing,
  async t => {
    const own = await startWithShop({ runtimeFile: undefined } as object, withChromium)
    t.teardown(own.close)
    const { call, engine, now } = own
    const [live, other] = await call('themes', {})
    const {
      items: [mug],
    } = await call('templateResources', { query: { type: 'product' } })
    const copy = await call('duplicateTemplate', { body: { type: 'product', suffix: '' } })
    const names = [
      `theme:${live!.id}`,
      `theme:${other!.id}`,
      `page:product:${mug!.id}`,
      `view:product:${copy.suffix}:${mug!.id}`,
      'template:page:',
      'theme:gone',
    ]
    const asks = names.map(of => ({ of, version: '1' }))
    const asked = await draw(own, ...asks)
    t.equal(asked.canDraw, true)
    t.ok(asked.pictures.every(each => each.isDrawing && each.takenAt === null))
    await draw(own, ...asks)
    await engine.runJobs()
    const { pictures } = await call('choicePictures', {})
    t.match(Object.fromEntries(pictures.map(each => [each.of, each])), {
      ...Object.fromEntries(
        names
          .slice(0, 5)
          .map(of => [
            of,
            { version: '1', takenAt: now.at.toISOString(), problem: null, isDrawing: false },
          ]),
      ),
      'theme:gone': { takenAt: null, problem: 'The shop has no page for it.', isDrawing: false },
    })
    const drawn = await Promise.all(names.slice(0, 5).map(of => image(own, of)))
    t.ok(
      drawn.every(({ length }) => length > 2_000 && length < 150_000),
      `${drawn.map(({ length }) => length).join(' ')} bytes`,
    )
    t.not(hash(drawn[0]!), hash(drawn[1]!), 'another theme has another picture')
    t.same(
      (await sql`select 1 from events limit 1`.execute(own.db.kysely)).rows,
      [],
      'no visitor was counted',
    )

    t.ok(
      (await draw(own, ...asks)).pictures.every(each => !each.isDrawing),
      'a picture that exists, or that has just failed, is not drawn again',
    )
    t.match(
      await draw(own, { of: names[1]!, version: '2' }),
      { pictures: [{ isDrawing: true, version: '1', takenAt: String }] },
      'another version is drawn again, and the old picture stays until then',
    )
    await own.db.kysely
      .updateTable('choice_pictures')
      .set({ taken_at: new Date(now.at.getTime() - choiceLimits.age - 1) })
      .where('choice', '=', names[0]!)
      .execute()
    t.match(
      await draw(own, { of: names[0]!, version: '1' }),
      { pictures: [{ isDrawing: true }] },
      'an old picture is drawn again',
    )
    await own.shop.app.close()
    await engine.runJobs()
    t.match(
      Object.fromEntries((await call('choicePictures', {})).pictures.map(each => [each.of, each])),
      {
        [names[0]!]: { isDrawing: false, problem: String, takenAt: String },
        [names[1]!]: { isDrawing: false, problem: String, takenAt: String },
      },
      'when the shop does not answer, the existing pictures stay',
    )
  },
)

t.test('the check before a launch does not wait for all pictures', drawing, async t => {
  const own = await startWithShop({ runtimeFile: undefined } as object, withChromium)
  t.teardown(own.close)
  const { call, db, engine } = own
  const { items } = await call('templateResources', { query: { type: 'product' } })
  t.ok(items.length >= 8)
  await draw(
    own,
    ...items.slice(0, 8).map(({ id }) => ({ of: `page:product:${id}`, version: '1' })),
  )
  const { id } = await call('createDraft', { body: { kind: 'Api', title: 'Ask me' } })
  await call('startDraftChecks', { params: { id } })
  const all = engine.runJobs()
  const isChecked = async () => (await call('draftChecks', { params: { id } })).browser.state === 'done' // prettier-ignore
  while (!(await isChecked())) await setTimeout(50)
  const waiting = db.kysely.selectFrom('choice_pictures').select('choice').where('is_waiting', '=', true) // prettier-ignore
  t.ok((await waiting.execute()).length > 0)
  await all
  t.same(await waiting.execute(), [], 'the pictures come afterwards')
})

t.test('names are checked, the number is limited, and stores see only their own', async t => {
  const own = await startWithShop({}, { CHROMIUM_PATH: process.execPath })
  t.teardown(own.close)
  await t.rejects(
    draw(own, { of: 'template:nothing:a', version: '' }),
    like({ status: 400, problem: { fields: [{ field: 'choices.0.of' }] } }),
  )
  await t.rejects(draw(own, { of: 'elsewhere', version: '' }), like({ status: 400 }))
  for (let from = 0; from < choiceLimits.kept + 20; from += choiceLimits.asked) {
    own.now.at = new Date(own.now.at.getTime() + 1)
    await draw(
      own,
      ...Array.from({ length: choiceLimits.asked }, (_, i) => ({
        of: `theme:${from + i}`,
        version: '',
      })),
    )
  }
  const { pictures } = await own.call('choicePictures', {})
  t.equal(pictures.length, choiceLimits.kept)
  t.notOk(
    pictures.some(({ of }) => of === 'theme:9'),
    'the picture with the oldest request was deleted',
  )

  await own.db.kysely
    .updateTable('choice_pictures')
    .set({ image: Buffer.from('ours'), taken_at: own.now.at })
    .execute()
  await seedStore(own.db, { shop: secondShop })
  const { token } = await own.call('auth', {
    body: {
      idToken: await own.idToken({ iss: `https://${secondShop}`, dest: `https://${secondShop}` }),
    },
  })
  const foreign = { authorization: `Bearer ${token}` },
    path = callPath(contract.choicePictures.path, 'demo', {})
  t.same((await own.engine.app.inject({ url: path, headers: foreign })).json(), {
    canDraw: true,
    pictures: [],
  })
  t.equal(
    (await own.engine.app.inject({ url: `${path}/file?of=${pictures[0]!.of}`, headers: foreign }))
      .statusCode,
    404,
  )
})
