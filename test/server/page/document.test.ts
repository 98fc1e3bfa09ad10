import t from 'tap'
import { documentHtml } from '../../../views/document.ts'

t.test(
  'the document names the scripts of its islands, and loads none before the page is painted',
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
        loaded:
          html.match(
            /<link [^>]*\.js"[^>]*>|<script (?!type="module" src="\/built\/page\.js")[^>]*>/g,
          ) ?? [],
        page: /<script type="module"[^>]*>/.exec(html)?.[0],
      }
    }
    const island = (name: string, later = '') =>
      `<div id="x" data-island="${name}"${later} hx-ignore>`
    const page = '<script type="module" src="/built/page.js" data-islands="/built/islands.js"'
    t.strictSame(scriptsOf('<p>Text</p>'), { loaded: [], page: `${page} nonce="n0nce">` })
    t.strictSame(scriptsOf(island('chart') + island('downloads')), {
      loaded: [],
      page: `${page} data-code="/built/chart-1.js /built/downloads-1.js" nonce="n0nce">`,
    })
    t.strictSame(scriptsOf(island('plan-chooser', ' data-later="true"')), {
      loaded: [],
      page: `${page} data-code-later="/built/plan-chooser-1.js" nonce="n0nce">`,
    })
  },
)
