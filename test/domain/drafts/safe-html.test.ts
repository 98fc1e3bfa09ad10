import t from 'tap'
import {
  addressProblem,
  attributeChangeProblem,
  attributeNameProblem,
  elementProblem,
} from '../../../domain/drafts/safe-html.ts'

t.test(
  'an attribute that runs code or leads to another site is refused in every spelling',
  async t => {
    for (const name of [
      'onclick',
      'ONLOAD',
      'x:onbegin',
      'srcdoc',
      'SrcDoc',
      'formaction',
      'http-equiv',
      'x:http-equiv',
    ])
      t.type(attributeNameProblem(name), 'string', name)
    for (const name of [
      'class',
      'title',
      'href',
      'data-on',
      'icon',
      'button',
      'aria-label',
      'action',
      'content',
    ])
      t.equal(attributeNameProblem(name), null, name)
  },
)

t.test('a change cannot set an attribute that decides what an element does', async t => {
  for (const name of [
    'type',
    'TYPE',
    'attributename',
    'attributeName',
    'onclick',
    'http-equiv',
    '',
    'a b',
    'a"b',
    'a>b',
  ])
    t.type(attributeChangeProblem(name), 'string', name)
  for (const name of ['class', 'title', 'alt', 'data-type', 'aria-hidden', 'style'])
    t.equal(attributeChangeProblem(name), null, name)
})

t.test('only pictures and videos may get an address in src or srcset', async t => {
  for (const tag of ['img', 'source', 'VIDEO']) t.equal(addressProblem('src', [tag]), null)
  for (const tags of [['script'], ['img', 'iframe']])
    for (const name of ['src', 'SRCSET']) t.type(addressProblem(name, tags), 'string')
  t.equal(addressProblem('src', []), null, 'a selector without an element type')
  t.equal(addressProblem('alt', ['script']), null)
})

t.test(
  'an element of inserted markup is checked by its name and by each of its attributes',
  async t => {
    const problem = (tag: string, attributes: Record<string, string> = {}) =>
      elementProblem({ tag, attributes }) !== null
    for (const tag of [
      'script',
      'SCRIPT',
      'svg:script',
      'style',
      'link',
      'iframe',
      'frame',
      'base',
      'meta',
      'object',
      'embed',
      'applet',
    ])
      t.ok(problem(tag), tag)
    for (const tag of ['p', 'img', 'button', 'svg', 'constructor']) t.notOk(problem(tag), tag)
    t.notOk(
      problem('img', { src: '/a.png', alt: 'A' }) ||
        problem('button', { type: 'submit' }) ||
        problem('a', { href: '/pages/a' }),
    )
    t.ok(
      problem('p', { class: 'a', onclick: 'x()' }) &&
        problem('p', { src: '/a.png' }) &&
        problem('p', { type: 'text/javascript' }),
    )
    t.ok(
      problem('set', { attributeName: 'onclick', to: 'x()' }) &&
        problem('set', { attributeName: ' xlink:href ', to: 'x' }),
    )
    t.notOk(problem('set', { attributeName: 'opacity', to: '1' }))
    for (const action of [
      'https://thief.test/',
      '//thief.test/',
      '/\t/thief.test',
      '/\\thief.test',
      'thief',
      ' https:/thief.test',
    ])
      t.ok(problem('form', { action }), action)
    for (const action of ['/cart', '/', '', '?page=2', '#here'])
      t.notOk(problem('form', { action }), action)
  },
)
