import t from 'tap'
import { audienceFields } from '../../../domain/audiences/audience-field.ts'
import { textOf } from '../support/merchant.ts'
import {
  get,
  post,
  call,
  everyone,
  phones,
  edit,
  flags,
  open,
  stored,
  newDraft,
  act,
} from '../support/draft-kinds-shop.ts'

t.test('audiences are made, changed and deleted on the draft’s page', async t => {
  const id = await newDraft('PageElement'),
    path = (audience: string, more = '') => `/tests/draft/edit/${id}/audiences/${audience}${more}`
  const dialog = await act(id, 'split', 'split.audience:new', { audienceIds: everyone })
  t.match(dialog.body, '<dialog id="audience" open')
  t.equal(
    [...dialog.body.matchAll(/name="act" value="add:\d+"/g)].length,
    audienceFields.length,
    'every field can be added',
  )
  const added = await post(path('new'), {
    act: 'add:7',
    name: 'Germany',
    'values.3.operator': 'Contains',
    'values.3.value': 'sale',
  })
  t.same(
    [...added.body.matchAll(/name="(values\.\d\.value)"/g)].map(([, name]) => name),
    ['values.3.value', 'values.7.value'],
  )
  t.match(added.body, /value="sale"[^]*<option value="DE">Germany<[^]*value="remove:7"/)
  t.notMatch(
    (
      await post(path('new'), {
        act: 'remove:3',
        'values.3.operator': 'Contains',
        'values.3.value': 'sale',
      })
    ).body,
    'values.3.value',
  )
  const refused = await post(path('new'), { act: 'save', name: ' ' })
  t.equal(refused.statusCode, 422)
  t.match(textOf(refused.body), /Give the audience a name\./)
  t.match(textOf(refused.body), /Add at least one condition\./)
  const shown = await post(path('new'), {
    act: 'preview',
    name: '',
    'values.7.operator': 'Equals',
    'values.7.value': 'DE',
  })
  t.match(textOf(shown.body), /the audience size cannot be estimated|in this audience/)
  t.equal(
    (await call('audiences', {})).filter(each => !each.isBuiltIn).length,
    0,
    'opening the dialog stores nothing',
  )

  t.equal(
    (
      await post(path('new'), {
        act: 'save',
        name: 'Germany',
        'values.7.operator': 'Equals',
        'values.7.value': 'DE',
      })
    ).statusCode,
    303,
  )
  const made = (await call('audiences', {})).find(each => each.name === 'Germany')!
  t.same(
    (await stored(id)).audienceIds,
    [made.id],
    'the draft uses the new audience and is no longer for everyone',
  )
  t.match(textOf((await get(edit(id, 'split'))).body), /Germany Country is Germany/)
  const again = await post(path('new'), { act: 'save', name: 'germany', 'values.7.value': 'DE' })
  t.match(
    [again.statusCode, textOf(again.body)],
    [409, /There is an audience of this name already/],
  )
  t.match(again.body, 'value="germany"')

  t.match((await get(edit(id, 'split', `&audience=${made.id}`))).body, 'value="Germany"')
  await post(path(made.id), {
    act: 'save',
    name: 'Germany and more',
    'values.7.operator': 'StartsWith',
    'values.7.value': 'D',
  })
  t.match(
    (await call('audiences', {})).find(each => each.id === made.id),
    { name: 'Germany and more', values: { 7: { operator: 'StartsWith', value: 'D' } } },
  )
  await act(id, 'split', 'save', { audienceFor: 'everyone', audienceIds: made.id })
  t.same((await stored(id)).audienceIds, [])
  t.match((await get(edit(id, 'split'))).body, /value="everyone" checked/)
  t.match(
    textOf((await act(id, 'split', 'save', { audienceFor: 'some', audienceIds: '' })).body),
    /Choose at least one audience, or choose Everyone\./,
  )
  await act(id, 'split', 'save', { audienceFor: 'some', audienceIds: made.id })
  t.same((await stored(id)).audienceIds, [made.id])
  await post(path(made.id, '/delete'))
  t.same((await stored(id)).audienceIds, [], 'a deleted audience is not chosen any more')
  for (const bad of [made.id, phones, 'nonsense'])
    t.equal((await get(edit(id, 'split', `&audience=${bad}`))).statusCode, 404, bad)
  const foreign = await post(edit(id, 'split'), { act: 'save', audienceIds: made.id })
  t.match([foreign.statusCode, textOf(foreign.body)], [422, /This audience is no longer there/])
})

t.test('while its plan does not open audiences, a dialog that is still open says so', async t => {
  const id = await newDraft('PageElement')
  t.teardown(() => open(flags))
  await open(flags.filter(flag => flag !== 'CustomAudiences'))
  for (const act of ['preview', 'save']) {
    const { statusCode, body } = await post(`/tests/draft/edit/${id}/audiences/new`, {
      act,
      name: 'Austria',
      'values.7.operator': 'Equals',
      'values.7.value': 'AT',
    })
    t.equal(statusCode, 403, act)
    t.match(body, '<dialog id="audience" open', act)
    t.match(textOf(body), /[Cc]ustom audiences/, act)
    t.match(body, 'value="Austria"', `${act} keeps what was typed`)
  }
})

t.test('an audience of a running test can only be renamed', async t => {
  const { id: audience } = await call('createAudience', {
    body: { name: 'Held', values: { 7: { operator: 'Equals', value: 'DE' } } },
  })
  const id = await newDraft('PageElement')
  const using = await call('createDraft', {
    body: {
      kind: 'UrlRedirect',
      title: 'Held by it',
      controlUrl: '/pages/gift-guide',
      redirectUrl: '/pages/gift-guide-2026',
      audienceIds: [audience],
    },
  })
  await call('launchDraft', { params: { id: using.id } })
  const dialog = await get(edit(id, 'split', `&audience=${audience}`))
  t.match(textOf(dialog.body), /The running test Held by it uses this audience/)
  const refused = await post(`/tests/draft/edit/${id}/audiences/${audience}`, {
    act: 'save',
    name: 'Held',
    'values.7.operator': 'Equals',
    'values.7.value': 'FR',
  })
  t.match(
    [refused.statusCode, textOf(refused.body)],
    [409, /uses this audience\. You can change its conditions when that test has ended/],
  )
  t.equal((await post(`/tests/draft/edit/${id}/audiences/${audience}/delete`)).statusCode, 409)
})
