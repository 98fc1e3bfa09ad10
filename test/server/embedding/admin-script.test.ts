import t from 'tap'
import { documentHtml, type Host } from '../../../views/document.ts'

const html = (shown: Host | null) =>
  documentHtml({
    title: 'Tests',
    body: '<main></main>',
    frame: 'shell',
    nonce: 'n0nce',
    asset: name => (name === 'gone.js' ? '' : `/built/${name}`),
    scripts: () => [],
    sheets: [],
    host: shown,
  })
const host = { app: 'https://admin.example/apps/twinshelf', addressMessage: null }
const adminScript = {
  address: 'https://cdn.example/bridge.js?a=1&b=2',
  metas: [{ name: 'api-key', content: 'k"ey' }],
  part: 'own-part.js',
}

t.test('the admin’s own script comes before every other, and ours after it', async t => {
  const scripts = [...html({ ...host, adminScript }).matchAll(/<script[^>]*>/g)].map(([tag]) => tag)
  t.same(scripts.slice(0, 2), [
    '<script src="https://cdn.example/bridge.js?a=1&amp;b=2" nonce="n0nce">',
    '<script type="module" src="/built/own-part.js" nonce="n0nce">',
  ])
  t.match(html({ ...host, adminScript }), '<meta name="api-key" content="k&quot;ey">')
  t.notMatch(
    html({ ...host, adminScript: { ...adminScript, part: 'gone.js' } }),
    'src=""',
    'a part that was not built is not requested',
  )
})

t.test('a page of a platform without a script loads nothing for it', async t => {
  t.notMatch(html({ ...host, adminScript: null }), 'bridge')
  t.equal([...html(null).matchAll(/<script/g)].length, 1)
})
