import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { threeTests } from '../scripts/build/storefront-samples.ts'
import type { ScriptConfig } from '../domain/script/script-config.ts'
import { listening } from './listening.ts'

export const change = 'Add to basket – ships tomorrow'
const selector = '.product-form__submit'

/** Three usual tests. Every visitor is in the variant of the first, which changes one text. */
export const changingConfig: ScriptConfig = {
  ...threeTests,
  collect: '/collect',
  tests: threeTests.tests.map((test, i) =>
    i > 0
      ? test
      : {
          ...test,
          weights: [0, 1],
          changes: [{ selector, kind: 'text', name: '', value: change }],
        },
  ),
}

/**
 * The least that a test on a page can cost: an id in a cookie, its hash, weights, and one text
 * changed at once, or by a MutationObserver when its element is not there yet. It stores and counts
 * nothing, and runs on one page only.
 */
export const bareScript = `(function () {
  var test = '5b0e2a52-9c4b-4f3a-8a55-6a1f0c7d9e21', weights = [0, 1];
  function fnv(text) {
    var hash = 0x811c9dc5;
    for (var i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return hash >>> 0;
  }
  var found = document.cookie.match(/(?:^|; )bare=([^;]*)/), id = found && found[1];
  if (!id) {
    id = Math.random().toString(36).slice(2) + Math.random().toString(36).slice(2);
    document.cookie = 'bare=' + id + ';path=/;max-age=31536000;samesite=lax';
  }
  if (fnv(String(fnv(test + id))) % 10000 / 10000 < weights[0]) return;
  var observer = new MutationObserver(apply);
  function apply() {
    var element = document.querySelector('${selector}');
    if (!element) return;
    observer.disconnect();
    element.textContent = ${JSON.stringify(change)};
    return true;
  }
  if (!apply()) observer.observe(document.documentElement, { childList: true, subtree: true });
})()`

/**
 * GrowthBook's script for pages that load it by a tag, with the same three tests inside, so that it
 * asks no server for them.
 */
export function growthBookScript(): string {
  const half = [0.5, 0.5]
  const experiment = (key: string, path: string, weights: number[], variant: object) => ({
    key,
    status: 'running',
    hashAttribute: 'id',
    hashVersion: 2,
    seed: key,
    phase: '0',
    coverage: 1,
    weights,
    meta: [{ key: '0' }, { key: '1' }],
    variations: [{}, variant],
    urlPatterns: [{ include: true, type: 'simple', pattern: path }],
  })
  const set = (selector: string, value: string) => ({
    domMutations: [{ selector, action: 'set', attribute: 'html', value }],
  })
  const [first, second, third] = threeTests.tests
  const payload = {
    features: {},
    experiments: [
      { ...experiment(first!.id, '/products/*', [0, 1], set(selector, change)), changeId: 'a' },
      {
        ...experiment(second!.id, '/pages/gift-guide', half, {
          urlRedirect: '/pages/gift-guide-2026',
        }),
        changeId: 'b',
      },
      { ...experiment(third!.id, '/', half, set('.hero h1', 'Pottery')), changeId: 'c' },
    ],
  }
  const config = { clientKey: 'sdk-bench', noStreaming: true, payload }
  const file = '../node_modules/@growthbook/growthbook/dist/bundles/auto.min.js'
  return `window.growthbook_config=${JSON.stringify(config)};${readFileSync(new URL(file, import.meta.url), 'utf8').replace(/\/\/# sourceMappingURL.*/, '')}`
}

/** Where the script is: first in the head, or last in the body. */
export type Where = 'head' | 'end'

const links = Array.from(
  { length: 120 },
  (_, i) =>
    `<li class="menu__item"><a class="menu__link" href="/collections/c${i}"><span>Collection ${i}</span></a></li>`,
).join('')
const cards = Array.from(
  { length: 60 },
  (_, i) =>
    `<article class="card"><a href="/products/p${i}"><img alt="" width="300" height="300"><h3 class="card__title">Product ${i}</h3><p class="price">$${i}.00</p></a></article>`,
).join('')

/** Says when the text was set, by either property, in milliseconds since the script's start. */
const clock = `for (const [owner, name] of [[Node.prototype, 'textContent'], [Element.prototype, 'innerHTML']]) {
    const { set, get } = Object.getOwnPropertyDescriptor(owner, name)
    Object.defineProperty(owner, name, { configurable: true, get, set(text) { set.call(this, text); if (text === ${JSON.stringify(change)}) window.appliedAfter ??= performance.now() - started } })
  }`
const start = '<script>window.started = performance.now()</script>'

/** A product page of ordinary size, with this script in it. */
export const productPage = (script: string, where: Where): string =>
  pageWithTag(`${start}<script>${script}</script>`, where, clock)

/** The same page with this tag at its place, and `before` running first. */
export function pageWithTag(
  tag: string,
  where: Where,
  before: string,
  title = 'Ash glaze mug',
): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><script>${before}</script>${where === 'head' ? tag : ''}<title>${title}</title><style>header ul { display: flex; overflow: hidden }</style></head><body>
    <header><ul>${links}</ul></header><main class="product__info"><h1>${title}</h1><p class="price">$34.00</p><form action="/cart/add"><button class="product-form__submit">Add to cart</button></form></main>${cards}${where === 'end' ? tag : ''}</body></html>`
}

/** Serves each path's page. Every other request gets an empty response, like a collector. */
export async function servePages(
  pages: Record<string, string>,
): Promise<{ origin: string; close: () => void }> {
  const server = createServer((request, response) => {
    const page = pages[request.url!]
    response.writeHead(page ? 200 : 204, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page)
  })
  return listening(server)
}
