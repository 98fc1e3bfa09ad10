import t from 'tap'
import {
  type Choice,
  choiceLimits,
  choiceName,
  choiceOf,
  needsPicture,
} from '../../../../domain/drafts/pictures/choice-picture.ts'

t.test('a choice has one name, and the name gives the choice back', async t => {
  const choices: Choice[] = [
    { kind: 'theme', id: '41' },
    { kind: 'theme', id: 'gid://shop/Theme/41' },
    { kind: 'template', type: 'product', suffix: '' },
    { kind: 'template', type: 'product', suffix: 'ts-a1' },
    { kind: 'page', type: 'home', id: '' },
    { kind: 'page', type: 'product', id: 'gid://shop/Product/7' },
    { kind: 'view', type: 'page', suffix: 'ts-a1', id: 'gid://shop/Page/7' },
    { kind: 'view', type: 'home', suffix: 'ts-a1', id: '' },
  ]
  for (const choice of choices) t.same(choiceOf(choiceName(choice)), choice, choiceName(choice))
  for (const none of [
    '',
    'theme',
    'theme:',
    'template:product',
    'template:nothing:a',
    'page:nothing:1',
    'view:page:ts-a1',
    'view:page::7',
    'other:product:1',
    'javascript:alert(1)',
  ])
    t.equal(choiceOf(none), null, none)
})

t.test('a picture is drawn when none is there, for a new version, and once a day', async t => {
  const now = new Date('2026-11-01T12:00:00Z')
  const picture = {
    of: 'theme:41',
    version: '1',
    takenAt: now.toISOString(),
    problem: null,
    isDrawing: false,
  }
  t.equal(needsPicture(undefined, '1', now), true)
  t.equal(needsPicture({ ...picture, takenAt: null }, '1', now), true)
  t.equal(needsPicture(picture, '1', now), false)
  t.equal(needsPicture(picture, '2', now), true)
  t.equal(needsPicture(picture, '1', new Date(now.getTime() + choiceLimits.age)), false)
  t.equal(needsPicture(picture, '1', new Date(now.getTime() + choiceLimits.age + 1)), true)
})
