import t from 'tap'
import { consentWords } from '../../../domain/stores/shop-consent.ts'

t.test('a shop that asks nobody counts all visitors who do not refuse', t => {
  for (const hasBanner of [true, false])
    t.same(consentWords({ hasBanner, countries: [] }, 'unlessRefused'), [
      'Your shop’s privacy settings name no country whose visitors must agree first.',
      'All visitors are counted unless they refuse.',
    ])
  t.end()
})

t.test('visitors who must agree are named by country, and count after that', t => {
  t.same(consentWords({ hasBanner: true, countries: ['DE', 'CH', 'FR'] }, 'unlessRefused'), [
    'Visitors from France, Germany and Switzerland must agree in your shop’s consent banner. Tests count them only after they have agreed, so a test with many of them takes longer.',
    'Visitors from other countries are counted unless they refuse.',
  ])
  const many = ['AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK']
  t.match(
    consentWords({ hasBanner: true, countries: many }, 'unlessRefused')[0],
    /^Visitors from Austria, Belgium, Bulgaria, Cyprus, Czechia, Denmark and Germany must/,
  )
  t.match(
    consentWords({ hasBanner: true, countries: [...many, 'ES', 'FR'] }, 'unlessRefused')[0],
    /Denmark and 3 other countries must agree/,
  )
  t.end()
})

t.test('a banner that is missing, and the stricter rule, are said with what they mean', t => {
  t.match(
    consentWords({ hasBanner: false, countries: ['DE'] }, 'unlessRefused')[0],
    /Germany must agree .* your shop’s consent banner is off\. .*tests do not count them\. Turn on/,
  )
  for (const countries of [[], ['DE']]) {
    const words = consentWords({ hasBanner: true, countries }, 'afterConsent')
    t.match(words[1], /“Only visitors who have agreed” leaves out visitors who see no banner/)
    t.notMatch(words.join(' '), /unless they refuse/)
  }
  t.end()
})
