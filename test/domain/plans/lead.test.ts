import t from 'tap'
import { leadMailDue } from '../../../domain/plans/lead.ts'
import {
  leadChangeWords,
  leadMailProblem,
  leadMailState,
} from '../../../domain/staff/staff-leads.ts'

const now = new Date('2026-11-20T12:00:00Z')
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000)

t.test(
  'a request is mailed at once; again, a change after an hour and a repetition after a day',
  async t => {
    for (const isChanged of [true, false])
      t.same(leadMailDue({ mailedAt: null, isChanged }, now), now)
    t.same(
      leadMailDue({ mailedAt: ago(10), isChanged: true }, now),
      new Date(now.getTime() + 50 * 60_000),
    )
    t.same(leadMailDue({ mailedAt: ago(60), isChanged: true }, now), now)
    t.equal(leadMailDue({ mailedAt: ago(1439), isChanged: false }, now), null)
    t.same(leadMailDue({ mailedAt: ago(1440), isChanged: false }, now), now)
  },
)

t.test('a change is named without a person; nothing is named when nothing changes', async t => {
  const before = { state: 'open', note: '' } as const
  t.equal(leadChangeWords(before, before), null)
  t.equal(leadChangeWords(before, { state: 'answered', note: '' }), 'Open to answered')
  t.equal(
    leadChangeWords(before, { state: 'closed', note: 'Ann wants 3M' }),
    'Open to closed. Note changed',
  )
  t.equal(leadChangeWords({ state: 'open', note: 'x' }, before), 'Note removed')
})

t.test('a missing address and missing mail have a message each', async t => {
  const address = 'sales@twinshelf.example'
  t.match(leadMailProblem({ address: null, isMailOn: true }), /Set LEADS_EMAIL/)
  t.match(leadMailProblem({ address, isMailOn: false }), /Set SMTP_URL and MAIL_FROM/)
  t.equal(leadMailProblem({ address, isMailOn: true }), null)
})

t.test('the mail of a request is sent, waits, fails or is off', async t => {
  const on = { address: 'sales@twinshelf.example', isMailOn: true },
    off = { address: null, isMailOn: true }
  t.equal(leadMailState({ state: 'open', mailedAt: null, attempts: 0 }, on), 'waiting')
  t.equal(leadMailState({ state: 'open', mailedAt: null, attempts: null }, on), 'waiting')
  t.equal(leadMailState({ state: 'open', mailedAt: now, attempts: 2 }, on), 'failing')
  t.equal(leadMailState({ state: 'open', mailedAt: now, attempts: null }, on), 'sent')
  t.equal(leadMailState({ state: 'open', mailedAt: now, attempts: null }, off), 'sent')
  t.equal(leadMailState({ state: 'open', mailedAt: null, attempts: null }, off), 'off')
  t.equal(
    leadMailState({ state: 'answered', mailedAt: null, attempts: 1 }, on),
    'off',
    'an answered request is not mailed',
  )
  t.equal(leadMailState({ state: 'closed', mailedAt: now, attempts: null }, on), 'sent')
})
