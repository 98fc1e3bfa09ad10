import t from 'tap'
import {
  emailProblems,
  nameProblems,
  passwordProblems,
  plainEmail,
  staffState,
} from '../../../domain/staff/staff-user.ts'

const said = (password: string, email = 'jonas@twinshelf.test') =>
  passwordProblems(password, email)
    .map(({ message }) => message)
    .join()

t.test(
  'a password must be long enough and not easy to guess; no kinds of characters are required',
  async t => {
    for (const good of [
      'a kettle, a shelf',
      'mauve otter nine',
      'ÜberlangeWörterkette',
      '🦊🦉🐝🌲🪁🧵🪑🛶🧲🪴🧊🎻',
      'tr0ub4dor&3 again',
      'x'.repeat(6) + 'yz-abc 9',
      'é'.repeat(3) + 'nine elephants',
    ])
      t.equal(said(good), '', good)
    t.equal(said('🦊🦉🐝🌲🪁🧵'), 'Use at least 12 characters.', 'an emoji counts as one character')
    t.equal(said('x1'.repeat(512)).startsWith('This password'), true, 'the maximum length')
    t.equal(said('x'.repeat(1025)), 'Use at most 1024 characters.')
    for (const bad of [
      'aaaaaaaaaaaa',
      '121212121212',
      'abcabcabcabc',
      '123456789012',
      '0987654321098',
      'qwertyuiopas',
      'abcdefghijkl',
      'Password1234',
      'PASSWORD!!!!1',
      'p@ssw0rd1234',
      'letmein2026!!',
      'Welcome-20261',
      'jonas@twinshelf.test',
      'JONAS20262026',
      'twinshelf2026',
      'correcthorsebatterystaple',
      'passwordpassword',
    ])
      t.match(said(bad), /easy to guess/, bad)
  },
)

t.test('addresses and names', async t => {
  t.equal(plainEmail(' Jonas@Twinshelf.TEST '), 'jonas@twinshelf.test')
  for (const good of ['a@b.test', 'first.last+tag@sub.example.co'])
    t.same(emailProblems(good), [], good)
  for (const bad of [
    '',
    ' ',
    'a',
    'a@b',
    'a b@c.test',
    'a@b.test\nBcc: x@y.test',
    '<a@b.test>',
    'a@b.test,c@d.test',
    `${'x'.repeat(320)}@b.test`,
  ])
    t.match(emailProblems(bad), [{ field: 'email' }], bad.slice(0, 20))
  t.same(nameProblems('Nadia'), [])
  for (const bad of ['', '   ', 'x'.repeat(101)]) t.match(nameProblems(bad), [{ field: 'name' }])
})

t.test('a disabled member is disabled, invited or not', async t => {
  const user = {
    id: '1',
    secondFactor: false,
    email: 'a@b.test',
    name: 'A',
    createdAt: '',
    lastSignInAt: null,
  }
  t.same(
    [
      [false, false],
      [false, true],
      [true, false],
      [true, true],
    ].map(([disabled, invited]) =>
      staffState({ ...user, disabled: disabled!, secondFactor: false, invited: invited! }),
    ),
    ['active', 'invited', 'disabled', 'disabled'],
  )
})
