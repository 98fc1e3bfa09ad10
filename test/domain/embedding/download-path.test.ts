import t from 'tap'
import { isDownload, linkIn, withLink } from '../../../domain/embedding/download-path.ts'
import { paths } from '../../../domain/paths.ts'

t.test('files of the app, and nothing else, can have a link', async t => {
  const files = [
    paths.testExport('a-1', 'results'),
    paths.testExport('a-1', 'orders'),
    `${paths.testExport('a-1', 'all')}?shop=a.b`,
    paths.draftPictures('a-1', 'b-2', 'phone'),
    paths.draftChoices('a-1', 'theme:1', '2026'),
  ]
  for (const path of files) t.ok(isDownload(path), path)
  for (const path of [
    paths.home(),
    paths.report('a-1'),
    paths.draftPictures('a-1'),
    paths.draftChoices('a-1'),
    paths.admin('tests'),
    '/tests/a/export/orders/more',
    '/tests/a%2Fb/export/orders',
    '//evil.test/tests/a/export/orders',
  ])
    t.notOk(isDownload(path), path)
})

t.test('the link is the last part of the address', async t => {
  for (const path of ['/tests/1/export/orders', '/tests/1/export/orders?shop=a.b'])
    t.same(linkIn(withLink(path, 'x.y')), { path, link: 'x.y' })
  t.equal(linkIn('/tests/1?link=x'), null, 'not for a page')
  t.equal(linkIn('/tests/1/export/orders?link=x&more=1'), null)
  t.equal(linkIn('/tests/1/export/orders'), null)
})
