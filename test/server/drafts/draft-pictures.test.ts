import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import t from 'tap'
import { paths } from '../../../domain/paths.ts'
import { DraftPictures } from '../../../views/drafts/draft-previews.tsx'
import { startMerchant, textOf } from '../support/merchant.ts'

const { call, close, engine, get, post } = await startMerchant({
  // A program that ends at once: the jobs are requested, and no picture is taken.
  engine: { CHROMIUM_PATH: '/bin/true' },
})
t.teardown(close)
const create = () => call('createDraft', { body: { kind: 'UrlRedirect', title: 'Pictures' } })
const buttons = (body: string) => [
  ...body.matchAll(/<button[^>]*>Take new pictures(?: of both)?<\/button>/g),
]
const hypothesesOfJobs = async () =>
  (
    await engine.db.kysely
      .selectFrom('jobs')
      .select('payload')
      .where('kind', '=', 'screenshots')
      .execute()
  )
    .map(({ payload }) => String(payload['hypotheses']))
    .sort()

t.test('a button for each arm takes new pictures of this arm alone', async t => {
  const { id, hypotheses } = await create(),
    [control, variant] = hypotheses.map(each => each.id) as [string, string]
  const { body } = await get(paths.draftPictures(id))
  t.equal(buttons(body).length, 3)
  for (const [arm, of] of [
    ['control', control],
    ['variant', variant],
  ] as const)
    t.match(
      body,
      new RegExp(
        `name="hypothesis" value="${of}"[^>]* aria-label="Take new pictures of the ${arm}"`,
      ),
    )
  const asked = await post(paths.draftPictures(id), { hypothesis: variant })
  t.equal(asked.statusCode, 303)
  t.same(await hypothesesOfJobs(), [variant])
  t.equal((await post(paths.draftPictures(id), { hypothesis: control })).statusCode, 303)
  t.equal((await post(paths.draftPictures(id))).statusCode, 303)
  t.same(await hypothesesOfJobs(), [variant, control, `${control},${variant}`].sort())
})

t.test('the arm of another draft is not found', async t => {
  const [own, other] = [await create(), await create()]
  const answer = await post(paths.draftPictures(own.id), { hypothesis: other.hypotheses[0]!.id })
  t.equal(answer.statusCode, 404)
})

t.test('while pictures are taken, the page shows the progress and no button works', async t => {
  const draft = await create()
  const job = {
    id: 'job-1',
    status: 'active' as const,
    message: 'Taking picture 2 of 2',
    progress: 0.5,
  }
  const body = renderToString(h(DraftPictures, { draft, job, refusal: null, timeZone: 'UTC' }))
  t.match(textOf(body), /Taking picture 2 of 2 50%/)
  t.match(body, `hx-get="${paths.draftPictures(draft.id)}?job=job-1"`, 'it asks again')
  t.equal(buttons(body).length, 3)
  t.ok(buttons(body).every(([tag]) => tag.includes(' disabled')))
})
