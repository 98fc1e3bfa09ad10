import t from 'tap'
import { sessionLimit, sessionsKept, sessionsPerDay } from '../../../engine/events/session-limit.ts'

t.test('sessions are limited for each visitor, and in all that are remembered', async t => {
  const may = sessionLimit(() => 0)
  for (let n = 0; n < sessionsPerDay; n++) t.ok(may('store', 'visitor', `session-${n}`))
  t.notOk(may('store', 'visitor', 'one too many'))
  for (let n = 0; n < sessionsKept; n++) may('store', `visitor-${n}`, 'session')
  t.ok(may('store', 'visitor', 'one too many'), 'whose day began first is forgotten')
})
