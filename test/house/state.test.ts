import t from 'tap'
import { filesOf, text } from './tree.ts'

/**
 * Module variables that each process may have for itself, such as caches of markup: a second
 * process does not need them.
 */
const mayKeep: Record<string, string[]> = {
  'server/main.ts': ['shifted'],
  'server/page/design.ts': ['drawn'],
  'server/page/render-cache.ts': ['newest', 'last'],
  'server/tests/list-state.ts': ['tabs'],
  'server/upstream/upstream-calls.ts': ['validators'],
  'server/http/public-side.ts': ['ofConnection'],
}

t.test('no module of the app keeps state that a second process would need', async t => {
  const found: Record<string, string[]> = {}
  for (const file of filesOf('server/**/*.ts'))
    for (const [, changing, kept] of text(file).matchAll(
      /^(?:export )?(?:let (\w+)|const (\w+)[^\n=]*= *(?:await )?new (?:Map|Set)\b)/gm,
    ))
      (found[file] ??= []).push((changing ?? kept)!)
  t.same(found, mayKeep)
})

t.test('data about a request is a typed property of the request, not in a WeakMap', async t => {
  t.same(
    filesOf('{server,engine}/**/*.ts').filter(file =>
      /new WeakMap<FastifyRequest\b/.test(text(file)),
    ),
    [],
  )
})
