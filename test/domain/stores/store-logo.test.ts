import t from 'tap'
import { canShowLogo, initialsPicture, maxLogoBytes } from '../../../domain/stores/store-logo.ts'

t.test('only small pictures of the usual types are shown', async t => {
  for (const [type, byteCount, isShown] of [
    ['image/svg+xml', 10, true],
    ['image/svg+xml; charset=utf-8', 10, true],
    ['IMAGE/PNG', maxLogoBytes, true],
    ['image/png', maxLogoBytes + 1, false],
    ['image/png', 0, false],
    ['text/html', 10, false],
    ['image/svg+xml-not', 10, false],
    ['', 10, false],
  ] as const)
    t.equal(canShowLogo({ type, byteCount }), isShown, `${type} ${byteCount}`)
})

t.test('the initials are text of the picture, never markup', async t => {
  t.match(initialsPicture('FK'), />FK<\/text><\/svg>$/)
  t.match(initialsPicture('<&'), />&lt;&amp;<\/text>/)
})
