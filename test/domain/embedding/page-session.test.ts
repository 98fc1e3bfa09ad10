import t from 'tap'
import { isPage } from '../../../domain/embedding/page-session.ts'

t.test('only HTML may be shown as a page', async t => {
  for (const type of ['text/html', 'text/html; charset=utf-8', 'TEXT/HTML;charset=utf-8'])
    t.ok(isPage(type), type)
  for (const type of [
    null,
    '',
    'text/csv; charset=utf-8',
    'image/svg+xml',
    'text/htmlx',
    'application/json',
  ])
    t.notOk(isPage(type), String(type))
})
