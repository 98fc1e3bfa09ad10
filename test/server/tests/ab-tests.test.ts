import t from 'tap'
import { startMerchant, textOf } from '../support/merchant.ts'
import { launchTest } from '../support/shoppers.ts'

const merchant = await startMerchant()
const { engine, call, get, post, close } = merchant
t.teardown(close)
const day = 24 * 3_600_000
const testOf = (id: string) => call('test', { params: { id } })
const acts = (body: string) =>
  ['pause-test', 'end-test', '/resume"'].filter(
    act => body.includes(`data-modal="${act}"`) || (act.startsWith('/') && body.includes(act)),
  )

t.test('a test is paused, resumed and ended; each page offers only allowed acts', async t => {
  const id = await launchTest(merchant, 'Up and down')
  t.same(acts((await get(`/tests/${id}`)).body), ['pause-test', 'end-test'])
  const { endsAt } = await testOf(id)

  t.match(await post(`/tests/${id}/pause`), {
    statusCode: 303,
    headers: { location: `/tests/${id}` },
  })
  t.equal((await testOf(id)).status, 'Paused')
  t.same(acts((await get(`/tests/${id}`)).body), ['end-test', '/resume"'])

  engine.now.at = new Date(engine.now.at.getTime() + 2 * day)
  t.equal((await post(`/tests/${id}/resume`)).statusCode, 303)
  const resumed = await testOf(id)
  t.equal(resumed.status, 'Active')
  t.equal(
    Date.parse(resumed.endsAt!) - Date.parse(endsAt!),
    2 * day,
    'two whole days of pause move the planned end',
  )
  t.match(textOf((await get(`/tests/${id}`)).body), /Resumed .* Paused .* Started .* Created/)

  t.equal((await post(`/tests/${id}/end`)).statusCode, 303)
  t.equal((await testOf(id)).status, 'Ended')
  const ended = await get(`/tests/${id}`)
  t.same(acts(ended.body), [])
  t.match(textOf(ended.body), /Ran .* to /)
})

t.test('a DELETE request ends the pause', async t => {
  const id = await launchTest(merchant, 'Deleted pause')
  await post(`/tests/${id}/pause`)
  t.equal((await post(`/tests/${id}/pause`, {}, { method: 'DELETE' })).statusCode, 303)
  t.equal((await testOf(id)).status, 'Active')
})

t.test('an act that the state does not allow has a message on the present page', async t => {
  const id = await launchTest(merchant, 'Ended elsewhere')
  await post(`/tests/${id}/end`)
  for (const act of ['pause', 'resume']) {
    const refused = await post(`/tests/${id}/${act}`)
    t.equal(refused.statusCode, 409, act)
    t.match(textOf(refused.body), /A test that is ended cannot become/)
    t.match(refused.body, 'role="alert"')
  }
})

t.test('an act that is already done is no error: a double click or two tabs', async t => {
  const id = await launchTest(merchant, 'Clicked twice')
  for (const act of ['pause', 'resume', 'end']) {
    const both = await Promise.all([post(`/tests/${id}/${act}`), post(`/tests/${id}/${act}`)])
    t.same(
      both.map(({ statusCode, headers }) => [statusCode, headers.location]),
      [
        [303, `/tests/${id}`],
        [303, `/tests/${id}`],
      ],
      act,
    )
  }
  t.same(
    (await testOf(id)).statusHistory.map(({ status }) => status),
    ['Active', 'Paused', 'Active', 'Ended'],
  )
})

t.test('an act from the list leads back to the same list, and to no other site', async t => {
  const id = await launchTest(merchant, 'From the list')
  const pause = (back: string) => post(`/tests/${id}/pause`, { back })
  t.equal(
    (await pause('/tests/list/running?sort=title&search=list&page=1')).headers.location,
    '/?search=list&sort=title',
  )
  t.match(
    textOf((await get('/tests/list/paused')).body),
    '“From the list” is paused. Everyone sees the control.',
  )
  t.equal(
    (await post(`/tests/${id}/resume`, { back: '/settings/notifications' })).headers.location,
    '/settings/notifications',
  )
  for (const back of [
    'https://evil.example/',
    '//evil.example',
    '/tests/list/nowhere',
    '/admin',
    'javascript:alert(1)',
    '/\\evil.example',
  ])
    t.equal((await pause(back)).headers.location, `/tests/${id}`, back)
  await post(`/tests/${id}/end`)
  t.match(await post(`/tests/${id}/pause`, { back: '/' }), {
    statusCode: 303,
    headers: { location: '/' },
  })
  t.match(
    textOf((await get('/')).body),
    'A test that is ended cannot become paused.',
    'a refusal is shown on the list',
  )
})

t.test(
  'name, hypothesis and titles can be changed; a refused form keeps the typed text',
  async t => {
    const id = await launchTest(merchant, 'Old name')
    t.equal(
      (
        await post(`/tests/${id}/rename`, {
          title: '  New name ',
          hypothesisDescription: 'If\r\nso',
          controlTitle: 'As it is',
          variantTitle: 'Ships today',
        })
      ).statusCode,
      303,
    )
    t.match(await testOf(id), {
      title: 'New name',
      hypothesisDescription: 'If\nso',
      controlTitle: 'As it is',
      variantTitle: 'Ships today',
    })
    t.match(
      textOf((await get(`/tests/${id}`)).body),
      'Name, Hypothesis, Control’s title, Variant’s title changed',
    )
    for (const title of [' ', 'x'.repeat(121)]) {
      const refused = await post(`/tests/${id}/rename`, { title, hypothesisDescription: 'Another' })
      t.equal(refused.statusCode, 422)
      t.match(refused.body, `value="${title}"`)
      t.match(refused.body, /<dialog id="test-details"[^>]* open/)
      t.match(refused.body, 'id="title-problem"')
      t.match(refused.body, '>Another</textarea>')
    }
    for (const [field, length] of [
      ['hypothesisDescription', 2001],
      ['controlTitle', 121],
      ['variantTitle', 121],
    ] as const)
      t.match(
        (await post(`/tests/${id}/rename`, { [field]: 'x'.repeat(length) })).body,
        `id="${field}-problem"`,
      )
    t.match(await testOf(id), { title: 'New name', hypothesisDescription: 'If\nso' })
  },
)

t.test('a GET request or another site changes nothing', async t => {
  const id = await launchTest(merchant, 'Untouched')
  for (const act of [
    'pause',
    'resume',
    'end',
    'rename',
    'apply',
    'delete',
    'duplicate',
    'schedule',
    'variant',
  ]) {
    t.equal((await get(`/tests/${id}/${act}`)).statusCode, 404, act)
    t.equal(
      (
        await post(
          `/tests/${id}/${act}`,
          { title: 'x', arm: 'variant' },
          { headers: { origin: 'https://evil.example' } },
        )
      ).statusCode,
      403,
      act,
    )
  }
  t.match(await testOf(id), { status: 'Active', title: 'Untouched' })
})
