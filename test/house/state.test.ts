import t from 'tap'
import { filesOf, text } from './tree.ts'

/** What a process may keep for itself: markup that it can draw again at any time from the same data. */
const mayKeep: Record<string, string[]> = {
  'server/main.ts': ['shifted'],
  'server/page/design.ts': ['drawn'],
  'server/page/render-cache.ts': ['newest', 'last'],
  'server/page/small-screen.ts': ['drawn'],
  'server/tests/list-state.ts': ['tabs'],
  'server/upstream/upstream.ts': ['validators'],
  'server/http/public-side.ts': ['ofConnection'],
}

t.test('no module of the app keeps what a second process of it would have to know', async t => {
  const found: Record<string, string[]> = {}
  for (const file of filesOf('server/**/*.ts'))
    for (const [, changing, kept] of text(file).matchAll(
      /^(?:export )?(?:let (\w+)|const (\w+)[^\n=]*= *(?:await )?new (?:Map|Set)\b)/gm,
    ))
      (found[file] ??= []).push((changing ?? kept)!)
  t.same(found, mayKeep)
})

t.test('what is known of a request stands on it, typed, and in no map beside it', async t => {
  t.same(
    filesOf('{server,engine}/**/*.ts').filter(file =>
      /new WeakMap<FastifyRequest\b/.test(text(file)),
    ),
    [],
  )
})
