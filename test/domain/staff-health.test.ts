import t from 'tap'
import { scriptStandingOf } from '../../domain/staff-health.ts'

t.test('a script is missing, broken, being published or installed', async t => {
  for (const [state, finding, standing] of [
    ['none', null, 'missing'], ['published', 'missing', 'missing'], ['failing', null, 'broken'], ['failing', 'answers', 'broken'], ['published', 'differs', 'broken'],
    ['waiting', 'unreachable', 'broken'], ['waiting', null, 'waiting'], ['published', null, 'installed'], ['published', 'answers', 'installed'],
  ] as const) t.equal(scriptStandingOf({ state, finding }), standing, `${state}, ${finding}`)
})
