import { existsSync } from 'node:fs'
import t from 'tap'
import { requirementLine, requirementLines, requirementsPage } from './requirement-lines.ts'
import { text } from './tree.ts'

const source = text(requirementsPage)

t.test('each requirement is one short line with its number and its tests', async t => {
  for (const line of source.split('\n').filter(each => /^([-*+]|\d|\s+\S)/.test(each)))
    t.match(line, requirementLine, 'the line has the form that the page describes')
  const texts = requirementLines(source).map(({ words }) => words)
  for (const words of texts) t.ok(words.length <= 160, `${words.length} characters: ${words}`)
  t.same(
    texts.filter((words, i) => texts.indexOf(words) < i),
    [],
    'no requirement occurs twice',
  )
  t.ok(texts.length > 400, `${texts.length} requirements`)
})

t.test('the numbers of sections and requirements rise, each number once', async t => {
  const sections = [...source.matchAll(/^## (\d+) \S/gm)].map(([, number]) => Number(number))
  t.same(
    sections,
    sections.map((_, i) => i + 1),
  )
  for (const part of source.split(/^## /m).slice(1)) {
    const section = Number.parseInt(part, 10)
    const numbers = requirementLines(part)
    for (const each of numbers) t.equal(each.section, section, `${each.id} is in its section`)
    for (const [i, { number, id }] of numbers.entries())
      t.ok(number > (numbers[i - 1]?.number ?? 0), `${id} comes after the one before`)
  }
})

t.test('every test that a requirement names exists', async t => {
  for (const { id, tests } of requirementLines(source)) {
    for (const test of tests) {
      t.match(test, /^test\/.+\.(test|spec)\.ts$/, id)
      t.ok(existsSync(test), `${id}: ${test}`)
    }
  }
})
