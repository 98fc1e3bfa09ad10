import t from 'tap'
import { demoTopics } from '../../engine/platform/demo/demo-topics.ts'
import { filesOf, text } from './tree.ts'

t.test('only an adapter knows the topics of its platform (decision 083)', async t => {
  const topics = Object.keys(demoTopics).map(topic => new RegExp(`['"\`/]${topic}['"\`]`))
  const found = ['engine', 'domain', 'server', 'views', 'islands', 'storefront', 'http']
    .flatMap(folder => filesOf(`${folder}/**/*.{ts,tsx}`))
    .filter(file => !file.startsWith('engine/platform/'))
    .filter(file => topics.some(topic => topic.test(text(file))))
  t.same(found, [])
})
