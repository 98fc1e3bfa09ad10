import t from 'tap'
import { buttonStyleOf, shapeOf } from '../../../domain/brand/brand-style-look.ts'
import { buttonSize, sizeOfHeight } from '../../../domain/drafts/button-size.ts'

t.test('a button size other than large, medium or small is an error', async t => {
  for (const size of ['large', 'medium', 'small']) t.equal(buttonSize(size), size)
  for (const size of ['Large', 'huge', '', 'constructor', ' small'])
    t.throws(() => buttonSize(size), { message: /large, medium or small/ }, size)
})

t.test('a button’s size follows from its height', async t => {
  t.same([56, 48, 47.9, 36, 35.9, 20].map(sizeOfHeight), [
    'large',
    'large',
    'medium',
    'medium',
    'small',
    'small',
  ])
})

t.test('a button’s shape follows from its corner radius and its shorter side', async t => {
  t.same(
    [
      [0, 40],
      [1, 40],
      [4, 40],
      [15, 40],
      [16, 40],
      [24, 45],
      [999, 40],
    ].map(([radius, side]) => shapeOf(radius!, side!)),
    ['None', 'None', 'SemiRound', 'SemiRound', 'Round', 'Round', 'Round'],
  )
})

t.test('a button’s style is the first that applies', async t => {
  const look = { hasGround: false, hasBorder: false, hasUnderline: false }
  t.equal(buttonStyleOf({ hasGround: true, hasBorder: true, hasUnderline: true }), 'Filled')
  t.equal(buttonStyleOf({ ...look, hasBorder: true, hasUnderline: true }), 'Outline')
  t.equal(buttonStyleOf({ ...look, hasUnderline: true }), 'Underline')
  t.equal(buttonStyleOf(look), 'Text')
})
