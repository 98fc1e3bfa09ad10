import { basename } from 'node:path'
import t from 'tap'
import { filesOf, text } from './tree.ts'

const index = 'docs/decisions/README.md'
const records = filesOf('docs/decisions/*.md').filter(file => file !== index)
const heading =
  /^# (\d{3}) (.+)\n\nDate: (\d{4}-\d{2}-\d{2})\. Status: ((?:accepted|replaced).*)\.\n\n/

t.test('decision records are numbered without a gap', async t => {
  const numbers = records.map(file => Number(/(\d{3})-[a-z0-9-]+\.md$/.exec(file)?.[1]))
  t.same(
    numbers,
    numbers.map((_, i) => i + 1),
  )
})

t.test(
  'each record begins with "# NNN Title", a blank line, and "Date: YYYY-MM-DD. Status: accepted."',
  async t => {
    for (const file of records) {
      const found = heading.exec(text(file))
      if (!found) {
        t.fail(`${file} does not begin with the form that ${index} describes`)
        continue
      }
      const [, number, title, date, status] = found as unknown as [
        string,
        string,
        string,
        string,
        string,
      ]
      t.equal(number, basename(file).slice(0, 3), `${file}: the heading has the number of the file`)
      t.notMatch(
        title,
        /^[a-z]|[.:]$/,
        `${file}: the title begins with a capital and has no full stop`,
      )
      t.notOk(Number.isNaN(Date.parse(date)), `${file}: the date is a day`)
      if (status.includes('replaced'))
        t.match(
          status,
          /replaced by \[\d{3}\]\(/,
          `${file}: the status links the record that replaces it`,
        )
    }
  },
)

t.test(`${index} has one row for each record`, async t => {
  const rows = records.map(file => {
    const [, number, title, date, status] = heading.exec(text(file)) ?? []
    return `| ${number} | [${title}](${basename(file)}) | ${date} | ${status} |`
  })
  t.same(
    text(index)
      .split('\n')
      .filter(line => /^\| \d/.test(line)),
    rows,
  )
})
