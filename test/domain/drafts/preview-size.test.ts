import t from 'tap'
import { pageSize, sizeWords } from '../../../domain/drafts/preview-size.ts'

t.test('a page has the width of its screen, however small the preview is', t => {
  const room = { width: 640, height: 500 }
  t.same(pageSize('desktop', 'fit', room), { width: 1280, height: 1000, scale: 0.5 })
  t.same(
    pageSize('desktop', '75', room),
    { width: 1280, height: 667, scale: 0.75 },
    'larger than the preview, which scrolls',
  )
  t.same(
    pageSize('phone', 'fit', room),
    { width: 390, height: 500, scale: 1 },
    'a page is never enlarged',
  )
  t.same(pageSize('phone', 'fit', { width: 195, height: 500 }), {
    width: 390,
    height: 1000,
    scale: 0.5,
  })
  t.ok(
    pageSize('desktop', 'fit', { width: 0, height: 0 }).scale > 0,
    'a preview of size 0 does not divide by 0',
  )
  t.end()
})

t.test('the text says the real width and the scale', t => {
  t.equal(sizeWords('desktop', 0.4718), '1,280 px wide, shown at 47%')
  t.equal(sizeWords('phone', 1), '390 px wide, shown at 100%')
  t.end()
})
