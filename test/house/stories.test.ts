import t from 'tap'
import { poorest, richest } from '../../domain/platform/capabilities.ts'
import { skippedFor, storyNeeds } from '../stories/story-needs.ts'
import { filesOf, text } from './tree.ts'

t.test('each test that needs something of the shop is there, with its reason', t => {
  const files = filesOf('test/**/*.{test,spec}.ts')
  for (const { file, tests = [] } of storyNeeds) {
    t.ok(files.includes(file), file)
    for (const title of tests) t.ok(text(file).includes(title), `${file}: ${title}`)
  }
  t.same(skippedFor({ store: richest }), [], 'nothing is skipped in shops that can do all')
  const skipped = skippedFor({ store: poorest, platform: 'shopify' })
  t.same(skipped.length, storyNeeds.length)
  for (const { reason } of skipped) t.match(reason, /\.$/)
  t.end()
})
