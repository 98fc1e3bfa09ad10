import t from 'tap'
import { documentHtml } from '../../../views/document.ts'

t.test(
  'the document names the scripts of its islands, and does not load those of one that waits',
  async t => {
    const scriptsOf = (body: string) => {
      const html = documentHtml({
        title: 'A page',
        frame: 'bare',
        body,
        nonce: 'n0nce',
        asset: name => `/built/${name}`,
        scripts: islands => islands.map(name => `/built/${name}-1.js`),
        sheets: [],
      })
      return {
        preloads: html.match(/<link rel="modulepreload"[^>]*>/g) ?? [],
        page: /<script type="module"[^>]*>/.exec(html)?.[0],
      }
    }
    const island = (name: string, later = '') =>
      `<div id="x" data-island="${name}"${later} hx-ignore>`
    const page = '<script type="module" src="/built/page.js" data-islands="/built/islands.js"'
    t.strictSame(scriptsOf('<p>Text</p>'), { preloads: [], page: `${page} nonce="n0nce">` })
    t.strictSame(scriptsOf(island('chart') + island('downloads')), {
      // With low priority, so that the stylesheets come first.
      preloads: ['chart', 'downloads'].map(
        name =>
          `<link rel="modulepreload" href="/built/${name}-1.js" fetchpriority="low" nonce="n0nce">`,
      ),
      page: `${page} nonce="n0nce">`,
    })
    t.strictSame(scriptsOf(island('plan-chooser', ' data-later="true"')), {
      preloads: [],
      page: `${page} data-code="/built/plan-chooser-1.js" nonce="n0nce">`,
    })
  },
)
