import t from 'tap'
import {
  codeProblem,
  inGroups,
  plainCode,
  stepAfterPassword,
} from '../../../domain/staff/second-factor.ts'
import { freeGuesses, waitAfter, waitWords } from '../../../domain/staff/staff-guess.ts'

t.test(
  'the first wrong codes cost no wait; then each doubles it, up to a quarter of an hour',
  t => {
    const { account } = freeGuesses
    t.same(
      Array.from({ length: 14 }, (_, i) => waitAfter(i + 1, account)),
      [0, 0, 0, 0, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900],
    )
    t.equal(waitAfter(10_000, account), 900)
    t.same([0.2, 1, 59.1, 60, 61, 900].map(waitWords), [
      '1 second',
      '1 second',
      '1 minute',
      '1 minute',
      '2 minutes',
      '15 minutes',
    ])
    t.end()
  },
)

t.test('a typed code is read with spaces and dashes, or refused', t => {
  t.same(['123 456', ' 123-456 ', 'ABCD-efgh-2345-6777'].map(plainCode), [
    '123456',
    '123456',
    'abcdefgh23456777',
  ])
  t.same(['123456', 'abcd-efgh-2345-6777'].map(codeProblem), [null, null])
  t.equal(codeProblem('  '), 'Enter a code.')
  for (const bad of ['12345', '1234567', 'abcdefgh', '0'.repeat(16), '１２３４５６'])
    t.match(codeProblem(bad), /6 digits/, bad)
  t.equal(inGroups('abcdefgh23456777'), 'abcd-efgh-2345-6777')
  t.same(
    [
      [false, false],
      [false, true],
      [true, false],
      [true, true],
    ].map(([has, isProduction]) => stepAfterPassword(has!, isProduction!)),
    [null, 'set-up', 'code', 'code'],
  )
  t.end()
})
